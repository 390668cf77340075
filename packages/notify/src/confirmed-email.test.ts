import type { SendMailOptions } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { toFetchHandler } from '@taskboard/core/transport'
import { CHANNELS, type NotifiedBoard, withBoard } from '../test/notified-board.js'
import { email } from './index.js'

const PUBLIC_URL = 'https://board.example/kanban'
const LINK = /https:\/\/board\.example\/kanban(\/v2\/confirm-notifications\?token=[\w.-]+)/
const DAY = { hours: 24 }

const textOf = ({ text }: SendMailOptions): string => (typeof text === 'string' ? text : '')

/** Mail that is not sent anywhere. */
function outbox() {
  const mails: SendMailOptions[] = []
  const server = { isDown: false }
  const sendMail = async (mail: SendMailOptions): Promise<void> => {
    if (server.isDown) throw new Error('connection refused')
    mails.push(mail)
  }
  const toOf = ({ to }: SendMailOptions): string =>
    ([to].flat() as readonly { readonly address: string }[]).map(({ address }) => address).join()
  return {
    type: email({ transport: { sendMail }, from: 'Taskboard <board@acme.example>', confirm: true }),
    server,
    sent: () => mails.map((mail) => `${toOf(mail)}: ${String(mail.subject)}`),
    /** The path of the last link that an address got. */
    linkOf: (address: string): string =>
      mails.flatMap((mail) => (toOf(mail) === address ? (LINK.exec(textOf(mail))?.[1] ?? []) : [])).at(-1) ??
      'none',
    texts: () => mails.map((mail) => `${String(mail.subject)}\n${textOf(mail)}`),
  }
}

const CREATED = 'Taskboard: task created'
const ASKED = 'Taskboard: confirm notifications to this address'
const input = { type: 'email', name: 'On call', config: { to: 'ops@acme.example' }, events: ['task.created'] }

/** As code of the host sets it up. */
const ownInput = { ...input, events: ['task.created' as const] }

/** Opens a page as a browser does, without a credential. */
async function visit({ taskboard }: NotifiedBoard, path: string, method = 'GET') {
  const response = await toFetchHandler(taskboard)(new Request(`https://board.example${path}`, { method }))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const setUp = async ({ send, clock }: NotifiedBoard, config: object = input.config) => {
  const { id } = await send('POST', CHANNELS, { ...input, config })
  await clock.settle()
  return `${CHANNELS}/${String(id)}`
}

describe('a recipient who has to confirm', () => {
  it('gets one mail with a link, and the notifications once the page of the link was answered', async () => {
    const { type, sent, linkOf } = outbox()
    const work = async (board: NotifiedBoard): Promise<void> => {
      const channel = await setUp(board)
      await board.add('one')
      expect(sent()).toEqual([`ops@acme.example: ${ASKED}`])
      const waiting = await board.send('GET', channel)
      expect(waiting['last_error']).toBe('not confirmed yet by ops@acme.example')

      const page = await visit(board, linkOf('ops@acme.example'))
      expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(page.text).toContain('<b>ops@acme.example</b>')
      // Programs that look at mail open links: that is no yes.
      await board.clock.advance({ minutes: 1 })
      expect(sent()).toHaveLength(1)

      expect((await visit(board, linkOf('ops@acme.example'), 'POST')).status).toBe(200)
      await board.clock.advance({ minutes: 1 })
      // Nobody had agreed to what waited.
      expect(sent()).toHaveLength(1)
      await board.add('two')
      expect(sent().at(-1)).toContain(`ops@acme.example: ${CREATED}`)
      expect(sent()).toHaveLength(2)
      const shown = await board.send('GET', channel)
      expect(shown['last_error']).toBeNull()
      expect(shown['config']).toEqual({ to: ['ops@acme.example'] })
      expect((await visit(board, linkOf('ops@acme.example'), 'POST')).status).toBe(200)
    }
    await withBoard([type], work, PUBLIC_URL)
  })

  it('is not asked again for the same address, and others of the channel wait for nobody', async () => {
    const { type, sent, linkOf } = outbox()
    const work = async (board: NotifiedBoard): Promise<void> => {
      const channel = await setUp(board, { to: ['a@acme.example', 'b@acme.example'] })
      await visit(board, linkOf('a@acme.example'), 'POST')
      await board.add('one')
      expect(sent().filter((line) => line.includes(CREATED))).toEqual([
        expect.stringContaining(`a@acme.example: ${CREATED}`),
      ])
      const tested = await board.send('POST', `${channel}/test`)
      expect(tested).toMatchObject({ delivered: false, error: 'not confirmed yet by b@acme.example' })
      const to = ['A@acme.example', 'c@acme.example']
      await board.send('PATCH', channel, { config: { to } })
      await board.clock.settle()
      expect(sent().filter((line) => line.includes(ASKED))).toEqual(
        ['a', 'b', 'b', 'c'].map((name) => `${name}@acme.example: ${ASKED}`),
      )
      await visit(board, linkOf('c@acme.example'), 'POST')
      expect(await board.send('POST', `${channel}/test`)).toMatchObject({ delivered: true })
      expect(sent().at(-1)).toContain('A@acme.example,c@acme.example: ')
      // Whom the channel does not name any more has nothing to confirm.
      expect((await visit(board, linkOf('b@acme.example'), 'POST')).status).toBe(410)
    }
    await withBoard([type], work, PUBLIC_URL)
  })

  it('cannot be spoken for by users, nor by another link', async () => {
    const { type, sent, linkOf } = outbox()
    const work = async (board: NotifiedBoard): Promise<void> => {
      const channel = await setUp(board)
      const forged = { to: ['ops@acme.example'], 'confirmed:x': true }
      expect(await board.send('PATCH', channel, { config: forged })).toMatchObject({ error: {} })
      const link = linkOf('ops@acme.example')
      const other = await setUp(board, { to: 'eve@evil.example' })
      for (const path of [`${link}x`, '/v2/confirm-notifications', '/v2/confirm-notifications?token=v1.a.b'])
        expect((await visit(board, path, 'POST')).status).toBe(410)
      expect((await visit(board, linkOf('eve@evil.example'), 'POST')).status).toBe(200)
      await board.send('PATCH', other, { config: { to: 'ops@acme.example' } })
      await board.add('one')
      expect(sent().filter((line) => !line.includes(ASKED))).toEqual([])
      await board.clock.advance({ hours: 24 * 7 })
      expect((await visit(board, link)).status).toBe(410)
      expect((await visit(board, link, 'POST')).status).toBe(410)
      expect((await visit(board, link, 'PUT')).status).toBe(405)
    }
    await withBoard([type], work, PUBLIC_URL)
  })

  it('is asked three times a day at most, whoever of an account asks, in words of no user but its name', async () => {
    const { type, sent, texts } = outbox()
    const work = async (board: NotifiedBoard): Promise<void> => {
      const evil = 'https://evil.example/unlock'
      for (let times = 0; times < 6; times++) {
        await board.send('POST', CHANNELS, { ...input, name: evil, config: { to: 'OPS@acme.example' } })
        await setUp(board)
      }
      expect(sent()).toHaveLength(3)
      expect(texts().join()).not.toContain('evil')
      expect(texts()[0]).toContain('Someone of the account “Acme” ')
      await board.clock.advance(DAY)
      await setUp(board)
      expect(sent()).toHaveLength(4)
      for (let at = 0; at < 60; at++) await setUp(board, { to: `user${at}@acme.example` })
      expect(sent()).toHaveLength(3 + 50)
    }
    await withBoard([type], work, PUBLIC_URL)
  })

  it('is one mailbox with any tag or dot, and all workspaces of an account ask as one', async () => {
    const { type, sent } = outbox()
    const work = async (board: NotifiedBoard): Promise<void> => {
      const { taskboard, clock, accountId } = board
      const names = ['vic.tim+1', 'victim+2', 'v.i.c.t.i.m', 'Victim', 'victim+3+4']
      for (const name of names) await setUp(board, { to: `${name}@acme.example` })
      expect(sent()).toHaveLength(3)
      for (let at = 0; at < 60; at++) {
        const { id } = await taskboard.accounts.createWorkspace(accountId, { name: `w${at}` })
        await taskboard.channels.create(id, { ...ownInput, config: { to: `user${at}@acme.example` } })
        await clock.settle()
      }
      expect(sent()).toHaveLength(50)
    }
    await withBoard([type], work, PUBLIC_URL)
  })

  it('is asked for an account, however often another has asked and been refused, up to twelve times a day in all', async () => {
    const { type, sent } = outbox()
    const work = async ({ taskboard, clock }: NotifiedBoard): Promise<void> => {
      const askedBy = async (name: string) => {
        const { workspace } = await taskboard.accounts.create({ name, tier: 'professional' })
        const before = sent().length
        for (let times = 0; times < 15; times++) {
          await taskboard.channels.create(workspace.id, ownInput)
          await clock.settle()
        }
        return sent().length - before
      }
      const all = []
      for (const name of ['eve', 'ada', 'bob', 'cem', 'dan']) all.push(await askedBy(name))
      expect(all).toEqual([3, 3, 3, 3, 0])
    }
    await withBoard([type], work, PUBLIC_URL)
  })

  it('is asked only once the channel is there for good', async () => {
    const { type, sent } = outbox()
    const work = async (board: NotifiedBoard): Promise<void> => {
      const { taskboard, clock, workspaceId } = board
      expect(await board.send('POST', CHANNELS, input)).toMatchObject({ type: 'email' })
      await clock.settle()
      expect(sent()).toHaveLength(1)
      const strangers = { ...input, config: { to: ['a@other.example', 'b@other.example'] } }
      expect(await board.send('POST', CHANNELS, strangers)).toMatchObject({
        error: { code: 'QUOTA_EXCEEDED' },
      })
      await clock.settle()
      const { id } = await taskboard.transaction(async (tx) => {
        const made = await taskboard.channels.create(
          workspaceId,
          { ...ownInput, config: strangers.config },
          { tx },
        )
        await taskboard.channels.update(workspaceId, made.id, { config: strangers.config }, { tx })
        await clock.settle()
        return made
      })
      await clock.settle()
      expect(sent()).toHaveLength(1)
      await taskboard.channels.askRecipients(workspaceId, id)
      await clock.settle()
      expect(sent()).toHaveLength(3)
    }
    await withBoard([type], work, PUBLIC_URL, { enterprise: { quota: { notificationChannels: 1 } } })
  })

  it('says yes to one account, whose name makes no link', async () => {
    const { type, linkOf, texts } = outbox()
    const work = async ({ taskboard, clock, ...board }: NotifiedBoard): Promise<void> => {
      const name = `Acme & <b>Söhne</b>\r\n\u202Ehttps://evil.example/x ${'y'.repeat(50)}`
      const { workspace } = await taskboard.accounts.create({ name, tier: 'professional' })
      await taskboard.channels.create(workspace.id, ownInput)
      await clock.settle()
      const shown = 'Acme & b Söhne b https evil example x yyyyyyyyyyyy'
      expect(texts().at(-1)).toContain(`${ASKED}\nSomeone of the account “${shown}” on this task board`)
      const page = await visit({ taskboard, clock, ...board }, linkOf('ops@acme.example'))
      expect(page.text).toContain(`<b>${shown.replace('&', '&#38;')}</b>`)
    }
    await withBoard([type], work, PUBLIC_URL)
  })

  it('has not said yes any more once the channel was without its address', async () => {
    const { type, sent, linkOf } = outbox()
    const work = async (board: NotifiedBoard): Promise<void> => {
      const path = await setUp(board, { to: ['ops@acme.example', 'b@acme.example'] })
      await visit(board, linkOf('ops@acme.example'), 'POST')
      await visit(board, linkOf('b@acme.example'), 'POST')
      const to = async (...config: readonly string[]) => board.send('PATCH', path, { config: { to: config } })
      await to('b@acme.example')
      await to('b@acme.example', 'ops@acme.example')
      await board.add('one')
      expect(sent().at(-1)).toContain(`b@acme.example: ${CREATED}`)
      expect(sent().filter((line) => line === `ops@acme.example: ${ASKED}`)).toHaveLength(2)
      await visit(board, linkOf('ops@acme.example'), 'POST')
      await board.add('two')
      expect(sent().at(-1)).toContain('b@acme.example,ops@acme.example: ')
    }
    await withBoard([type], work, PUBLIC_URL)
  })

  it('gets nothing of the time before the yes, also when it waits for another one', async () => {
    const { type, sent, linkOf, server } = outbox()
    const work = async (board: NotifiedBoard): Promise<void> => {
      await setUp(board, { to: ['a@acme.example', 'b@acme.example'] })
      await visit(board, linkOf('a@acme.example'), 'POST')
      server.isDown = true
      await board.add('one')
      await visit(board, linkOf('b@acme.example'), 'POST')
      server.isDown = false
      await board.clock.advance({ minutes: 1 })
      expect(sent().at(-1)).toContain(`a@acme.example: ${CREATED}`)
      await board.add('two')
      expect(sent().at(-1)).toContain(`a@acme.example,b@acme.example: ${CREATED}`)
      expect(sent().filter((line) => line.includes(CREATED))).toHaveLength(2)
    }
    await withBoard([type], work, PUBLIC_URL)
  })

  it('cannot make the board read its storage without limit by a valid link', async () => {
    const { type, linkOf } = outbox()
    const work = async (board: NotifiedBoard): Promise<void> => {
      await setUp(board)
      await setUp(board, { to: 'b@acme.example' })
      const statuses: number[] = []
      const answer = async (address: string) => (await visit(board, linkOf(address), 'POST')).status
      for (let times = 0; times < 12; times++) statuses.push(await answer('ops@acme.example'))
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429])
      expect(await answer('b@acme.example')).toBe(200)
      await board.clock.advance({ minutes: 1 })
      expect(await answer('ops@acme.example')).toBe(200)
    }
    await withBoard([type], work, PUBLIC_URL)
  })
})

describe('email', () => {
  const options = { transport: 'smtp://127.0.0.1:1', from: 'board@acme.example' }
  const refused = (field: string) => expect.objectContaining({ code: 'INVALID_CONFIG', field }) as Error

  it('needs a rule for recipients, or their confirmation', async () => {
    expect(() => email(options)).toThrow(refused('allowRecipient'))
    expect(() => email({ ...options, confirm: false })).toThrow(refused('allowRecipient'))
    expect(() => email({ ...options, confirm: 'yes' as never })).toThrow(refused('confirm'))
    expect(email({ ...options, confirm: true }).name).toBe('email')
  })

  it('with confirmation needs an address for the links', async () => {
    const { type } = outbox()
    await expect(withBoard([type], () => Promise.resolve())).rejects.toThrow(refused('publicUrl'))
  })
})
