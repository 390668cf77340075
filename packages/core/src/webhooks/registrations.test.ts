import { describe, expect, it } from 'vitest'
import { NOW, setUpWebhooks, URL } from '../../test/webhooks-session.js'
import { signPayload } from './signature.js'

describe('create', () => {
  const input = { url: URL, events: ['order.new' as const] }

  it('generates a secret, which signs and is returned only once', async () => {
    const { webhooks, storage, signaturesAt } = setUpWebhooks()
    const { webhook, secret } = await webhooks.create('ws_1', { ...input, generateSecret: true })
    expect(secret).toMatch(/^whsec_/)
    expect(webhook).toMatchObject({ signed: true, weakSecret: false })
    expect(signaturesAt(NOW)).toEqual([signPayload(secret ?? '', 'body')])
    expect(JSON.stringify([webhook, await webhooks.list('ws_1'), storage.webhooks])).not.toContain(secret)
  })

  it('returns no secret that was given', async () => {
    const { webhooks } = setUpWebhooks()
    const { webhook, secret } = await webhooks.create('ws_1', { ...input, secret: 'x'.repeat(16) })
    expect([webhook.signed, webhook.weakSecret, secret]).toEqual([true, false, null])
  })

  it.each([
    [{ secret: 'x'.repeat(15) }, 'secret', 'secret must have at least 16 characters'],
    [
      { secret: 'x'.repeat(16), generateSecret: true },
      'generateSecret',
      expect.stringMatching(/^generateSecret must/),
    ],
    [{ secret: 'x', generateSecret: true }, 'generateSecret', expect.anything()],
    [{ generateSecret: 1 }, 'generateSecret', expect.anything()],
  ])('refuses %j', async (given, field, message) => {
    const { webhooks, storage } = setUpWebhooks()
    const creating = webhooks.create('ws_1', { ...input, ...given } as never)
    await expect(creating).rejects.toMatchObject({ code: 'INVALID_FIELD', field, message })
    expect(storage.calls).toEqual([])
  })

  it('returns the webhook that is there, and refuses another secret with its id', async () => {
    const { webhooks, storage } = setUpWebhooks()
    const { webhook } = await webhooks.create('ws_1', { ...input, secret: 'x'.repeat(16) })
    for (const given of [{}, { secret: null }, { secret: 'x'.repeat(16) }]) {
      expect(await webhooks.create('ws_1', { ...input, ...given })).toEqual({ webhook, secret: null })
    }
    for (const given of [{ secret: 'y'.repeat(16) }, { generateSecret: true }]) {
      await expect(webhooks.create('ws_1', { ...input, ...given })).rejects.toMatchObject({
        code: 'CONFLICT',
        resourceId: webhook.id,
      })
    }
    await webhooks.rotateSecret('ws_1', webhook.id, { secret: 'z' })
    await expect(webhooks.create('ws_1', { ...input, secret: 'x'.repeat(16) })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    expect(storage.webhooks).toHaveLength(1)
  })
})

describe('a secret of the host or of the Board API (v1)', () => {
  it('may be short, and is marked until it is rotated', async () => {
    const { webhooks } = setUpWebhooks()
    const marks = []
    for (const secret of [null, 'z', 'x'.repeat(15), 'x'.repeat(16)]) {
      const { weakSecret } = await webhooks.register('ws_1', { url: URL, events: ['order.new'], secret })
      marks.push(weakSecret)
    }
    expect(marks).toEqual([false, true, true, false])
    const rotated = async (secret?: string) =>
      (await webhooks.rotateSecret('ws_1', 'wh_2', { secret })).webhook
    expect(await rotated()).toMatchObject({ weakSecret: false })
    expect(await rotated('short')).toMatchObject({ weakSecret: true })
  })
})
