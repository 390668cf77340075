import assert from 'node:assert/strict'
import { assertDone, assertRefused, sessionCase, WEBHOOKS, type BoardSession } from './board-session.js'
import type { ClientResponse } from './http-client.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'

const endpoint = { url: 'https://203.0.113.7/hook', events: ['task.completed', 'task.created'] }
/** The guard rejects documentation addresses: they are not public. */
const guardOpen = { taskboard: { webhooks: { allow: ['203.0.113.0/24'] } } }

/** The chat operation and webhook registration. */
export function chatAndWebhookCases(options: TransportConformanceOptions): readonly TransportCase[] {
  const define = sessionCase.bind(null, options)
  return [
    define('chat', 'a message is answered by the agent', async (session) => {
      const body = assertDone(await session.action('chat', { message: 'hëllo', user: 'Ada' }))
      assert.deepEqual(body, {
        success: true,
        reply: 'Ada said: hëllo',
        timestamp: '2026-01-01T00:00:00.000Z',
      })
    }),
    define('chat-no-user', 'the user may be left out', async (session) => {
      assert.equal(assertDone(await session.action('chat', { message: 'hi' }))['reply'], 'nobody said: hi')
    }),
    define(
      'chat-no-agent',
      'without a chat agent it is AGENT_UNAVAILABLE',
      async (session) => {
        assertRefused(await session.action('chat', { message: 'hi' }), 503, 'AGENT_UNAVAILABLE')
      },
      { taskboard: { agents: [] } },
    ),
    define(
      'webhook-create',
      'a registration is answered with its record, and never with its secret',
      async (session) => {
        const answer = await register(session, { ...endpoint, secret: 'whsec-very-secret' })
        const webhook = assertDone(answer)['webhook'] as Record<string, unknown>
        assert.match(String(webhook['id']), /^wh_[0-9a-z]{26}$/)
        assert.deepEqual(webhook, {
          ...endpoint,
          id: webhook['id'],
          enabled: true,
          signed: true,
          created_at: '2026-01-01T00:00:00.000Z',
        })
        assert.equal(answer.text.includes('very-secret'), false)
        const [stored] = await session.taskboard.webhooks.list(session.workspaceId)
        assert.equal(stored?.id, webhook['id'])
      },
      guardOpen,
    ),
    define(
      'webhook-unsigned',
      'without a secret nothing is signed',
      async (session) => {
        const { webhook } = assertDone(await register(session, endpoint))
        assert.equal((webhook as { signed: boolean }).signed, false)
      },
      guardOpen,
    ),
    define(
      'webhook-repeat',
      'a repeat with the same Idempotency-Key registers nothing more',
      async (session) => {
        const headers = { 'idempotency-key': 'once' }
        const first = await register(session, endpoint, headers)
        await session.clock.advance({ hours: 1 })
        assert.equal((await register(session, endpoint, headers)).text, first.text)
        assertRefused(await register(session, { ...endpoint, secret: 's' }, headers), 409, 'CONFLICT')
        assert.equal((await session.taskboard.webhooks.list(session.workspaceId)).length, 1)
      },
      guardOpen,
    ),
  ]
}

function register(
  session: BoardSession,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<ClientResponse> {
  return session.request({ method: 'POST', path: WEBHOOKS, body, headers })
}
