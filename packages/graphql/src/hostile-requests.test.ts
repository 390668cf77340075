import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { SlowRequests } from '@taskboard/kit/hostile/request-costs'

const PROGRAM = fileURLToPath(new URL('../test/hostile-costs.ts', import.meta.url))

/** How long in milliseconds is for `npm run bench -- hostile`. */
it.each([
  ['a document', 'documents', 200],
  ['variables in an unread body', 'unread', 500],
  ['variables in a body parsed by the host', 'parsed', 500],
  ['a query', 'queries', 50],
  ['headers', 'headers', 100],
])(
  'no request costs much more than to parse it: %s',
  async (_, kind, least) => {
    const args = ['--import', 'tsx', '--conditions', '@taskboard/source', PROGRAM, kind]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { requests, slow } = JSON.parse(stdout) as SlowRequests
    expect(requests).toBeGreaterThan(least)
    expect(slow).toEqual([])
  },
  120_000,
)
