import { expect, it } from 'vitest'
import { readFile } from 'node:fs/promises'
import { logAndClaim } from '../../events/log-events.js'
import { claimByFallback, claimByType } from './claim-by-type.js'
import { claimForAgent, claimOneForAgent, completeAndClaimForAgent } from './claim-for-agent.js'
import { cte } from './claim-tables.js'

/** The names of the common table expressions in a part of a statement. */
const tablesIn = (text: string): readonly string[] =>
  [
    ...text.replaceAll(/--.*$/gm, '').matchAll(/(?:^|with |recursive |,)\s*(\w+) as (?:materialized )?\(/g),
  ].map(([, name = '']) => name)

const ofLog = tablesIn(logAndClaim('$1'))
const statements = [
  claimForAgent,
  claimOneForAgent,
  completeAndClaimForAgent,
  claimByType.claim,
  claimByType.completeAndClaim,
  claimByFallback.claim,
  claimByFallback.completeAndClaim,
]
const mapped: readonly string[] = Object.values(cte)

it.each(statements.map(({ name = '', text }) => [name, text]))(
  '%s has only tables of the map, in its order, and then those of the log',
  (_, text) => {
    const used = tablesIn(text)
    const own = used.filter((name) => !ofLog.includes(name))
    expect(own).toEqual(mapped.filter((name) => own.includes(name)))
    expect(used).toEqual([...own, ...ofLog])
  },
)

it('each table of the map is in a statement, and in the table that explains it, with one of twenty places at most', async () => {
  const all = new Set(statements.flatMap(({ text }) => tablesIn(text)))
  expect(mapped.filter((name) => !all.has(name))).toEqual([])
  const source = await readFile(new URL('claim-tables.ts', import.meta.url), 'utf8')
  const rows = [...source.matchAll(/^ \* \| `(\w+)`/gm)].map(([, name = '']) => name)
  expect(rows).toEqual(mapped)
  // The log counts as one.
  expect(mapped.length + 1).toBeLessThanOrEqual(20)
})
