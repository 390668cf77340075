import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import type { SlowRequests } from '@taskboard/kit/hostile/request-costs'

const PROGRAM = fileURLToPath(new URL('../test/hostile-costs.ts', import.meta.url))

let found: Readonly<Record<string, SlowRequests>>

beforeAll(async () => {
  const args = ['--import', 'tsx', '--conditions', '@taskboard/source', PROGRAM]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  found = JSON.parse(stdout) as typeof found
}, 300_000)

/** How long in milliseconds is for `npm run bench -- hostile`. */
it.each([
  ['a document', 'documents', 200],
  ['variables in an unread body', 'unread', 500],
  ['variables in a body parsed by the host', 'parsed', 500],
  ['a query', 'queries', 50],
  ['headers', 'headers', 100],
])('no request costs much more than to parse it: %s', (_, kind, least) => {
  expect(found[kind]?.requests).toBeGreaterThan(least)
  expect(found[kind]?.slow).toEqual([])
})
