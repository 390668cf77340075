import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../test/hostile-costs.ts', import.meta.url))

/** How long in milliseconds is for `npm run bench -- hostile`. */
it.each([
  ['unread', 'unread'],
  ['parsed by the host', 'parsed'],
])(
  'no body, to whatever operation, costs much more than to parse it: %s',
  async (_, how) => {
    const args = ['--import', 'tsx', '--conditions', '@taskboard/source', PROGRAM, how]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { requests, slow } = JSON.parse(stdout) as { requests: number; slow: unknown[] }
    expect(requests).toBeGreaterThan(500)
    expect(slow).toEqual([])
  },
  120_000,
)
