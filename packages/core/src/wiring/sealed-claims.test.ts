import { memoryStorage } from '@taskboard/memory'
import { expect, it } from 'vitest'
import { toFetchHandler } from '../entries/transport.js'
import { requestFingerprint } from '../idempotency/index.js'
import { createTaskboard, scopes, type NotificationType, type Storage } from '../index.js'

const SECRET = 'summer-of-2026-acme'
const events = ['task.created']
const url = 'https://receiver.example/hook'
const chat: NotificationType = {
  name: 'chat',
  secrets: ['token'],
  parseConfig: (config) => config,
  deliver: () => Promise.resolve(),
}

/** A board whose storage shows the claims of creates, and what sends a create to it twice with one idempotency key. */
async function setUp() {
  const storage = memoryStorage() as Storage
  const { webhooks, channels } = storage
  const kept: string[] = []
  const keep = (claim: { readonly fingerprint: string } | null) => void kept.push(claim?.fingerprint ?? '')
  const taskboard = createTaskboard({
    storage: {
      ...storage,
      webhooks: {
        ...webhooks,
        insertWebhook: (given, call) => (keep(given.idempotency), webhooks.insertWebhook(given, call)),
      },
      channels: {
        ...channels,
        insertChannel: (given, call) => (keep(given.idempotency), channels.insertChannel(given, call)),
      },
    },
    logger: false,
    notifications: [chat],
    secrets: { encryptionKey: '1'.repeat(64) },
  })
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const workspaceId = workspace.id
  const { key } = await taskboard.accounts.createKey({ workspaceId, name: 'k', scopes: [...scopes] })
  const handle = toFetchHandler(taskboard)
  async function twice(path: string, body: object) {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': 'once',
    }
    const send = () =>
      handle(new Request(`http://board${path}`, { method: 'POST', headers, body: JSON.stringify(body) }))
    const [first, second] = [await send(), await send()]
    expect(await second.text()).toBe(await first.text())
    expect(first.ok).toBe(true)
    return kept
  }
  return { twice, workspaceId }
}

it.each([
  ['/api/webhooks/create', { url, events, secret: SECRET }],
  ['/v2/webhooks', { url, events, secret: SECRET }],
  ['/v2/notification-channels', { type: 'chat', name: 'n', events, config: { token: SECRET } }],
])('a create by %s leaves nothing by which a guess at its secret can be checked', async (path, body) => {
  const { twice, workspaceId } = await setUp()
  const kept = await twice(path, body)
  expect(kept).toHaveLength(2)
  for (const guess of [body, { ...body, workspaceId }]) expect(kept).not.toContain(requestFingerprint(guess))
})
