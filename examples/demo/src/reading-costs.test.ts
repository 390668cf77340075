import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../test/reading-costs.ts', import.meta.url))
/** Time by the square of the text would be a hundred times as much. */
const MOST_TIMES = 10

it('reads a long text in about the time of as many characters in short ones', async () => {
  const args = ['--import', 'tsx', '--conditions', '@taskboard/source', PROGRAM]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const costs = JSON.parse(stdout) as [name: string, ofLong: number, ofShort: number][]
  expect(costs.length).toBeGreaterThan(10)
  expect(costs.filter(([, ofLong, ofShort]) => ofLong > MOST_TIMES * ofShort)).toEqual([])
}, 300_000)
