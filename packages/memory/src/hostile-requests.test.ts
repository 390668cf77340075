import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { SlowRequests } from '@taskboard/kit/hostile/request-costs'

const PROGRAM = fileURLToPath(new URL('../test/hostile-costs.ts', import.meta.url))

/** How long in milliseconds is for `npm run bench -- hostile`. */
it.each([
  ['an unread body', 'unread'],
  ['a body parsed by the host', 'parsed'],
  ['a query or headers', 'heads'],
])(
  'no request, to whatever operation, costs much more than to parse it: %s',
  async (_, kind) => {
    const args = ['--import', 'tsx', '--conditions', '@taskboard/source', PROGRAM, kind]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { requests, slow } = JSON.parse(stdout) as SlowRequests
    expect(requests).toBeGreaterThan(500)
    expect(slow).toEqual([])
  },
  120_000,
)
