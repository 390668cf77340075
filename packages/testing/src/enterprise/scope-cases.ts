import assert from 'node:assert/strict'
import { scopes } from '@taskboard/core'
import { makeBelongings } from './belongings.js'
import { documentedOperations } from './documented-operations.js'
import type { EnterpriseCheck } from './enterprise-case.js'

/** Every route with every scope. */
export const scopeCases: readonly EnterpriseCheck[] = [
  {
    id: 'scopes.matrix',
    name: 'a key passes where it has the scope that is documented, and is refused with 403 everywhere else',
    // The keys and sessions that are tried must outlast the trial.
    options: { limits: { failedCredentialsPerMinute: 100_000 } },
    async check(session) {
      const ours = await makeBelongings(session, session)
      const keys = await Promise.all(
        scopes.map(async (scope) => ({ scope, ...(await session.makeKey([scope])) })),
      )
      const operations = documentedOperations(session.openApi).filter(({ scope }) => scope !== 'none')
      for (const { method, path, body, scope: needed, userOnly } of operations) {
        const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ours.ids[name] ?? name)
        // Those that are refused first: what passes may change what the path names.
        const ordered = keys.toSorted(
          (one, other) => Number(one.scope === needed) - Number(other.scope === needed),
        )
        for (const { scope, key } of ordered) {
          const { status, text } = await session.send(method, at, { as: key, body })
          const passes = !userOnly && (needed === 'any' || needed === scope)
          assert.equal(status !== 403, passes, `${method} ${path} with ${scope}: ${status} ${text}`)
          assert.notEqual(status, 401)
          assert.ok(status < 500, text)
        }
      }
      assert.ok(operations.length > 10)
    },
  },
]
