import { createTaskboard, type Principal } from '@taskboard/core'
import type { HttpRequest, TransportServices } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { abusiveDocument } from '../test/abusive-document.js'
import { taskboardGraphql } from './graphql-route.js'

const principal: Principal = {
  id: 'user_1',
  kind: 'user',
  accountId: 'acc_1',
  tier: 'custom',
  scopes: [],
  workspaceIds: 'all',
  defaultWorkspaceId: 'ws_1',
}

/** Services of which a resolver may touch nothing. */
function untouchable(): TransportServices {
  const taskboard = createTaskboard({ storage: memoryStorage(), authenticate: () => principal })
  const trap = new Proxy({}, { get: () => expect.fail('a resolver ran') })
  const { services } = taskboard
  const trapped = [
    'accounts',
    'agents',
    'analytics',
    'estimates',
    'keys',
    'quota',
    'tasks',
    'webhooks',
  ] as const
  return { ...services, ...Object.fromEntries(trapped.map((name) => [name, trap])) }
}

function post(query: string): HttpRequest {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json',
  }
  return {
    method: 'POST',
    path: '/v2/graphql',
    params: {},
    query: '',
    header: (name) => headers[name],
    clientAddress: '192.0.2.1',
    body: { kind: 'parsed', value: { query } },
  }
}

describe('a thousand abusive documents', () => {
  it.each([true, false])(
    'are each refused before a resolver runs, introspection being %s',
    async (introspection) => {
      const { handle } = taskboardGraphql({ services: untouchable() }, { introspection })
      await fc.assert(
        fc.asyncProperty(abusiveDocument, async (text) => {
          const { status, body } = await handle(post(text))
          const answer = JSON.parse(String(body)) as {
            data?: unknown
            errors: { extensions: { code: string } }[]
          }
          expect(status).toBe(400)
          // What was executed has data, be it null.
          expect(answer).not.toHaveProperty('data')
          expect(answer.errors[0]?.extensions.code).toBe('INVALID_REQUEST')
        }),
        { numRuns: 500 },
      )
    },
  )
})
