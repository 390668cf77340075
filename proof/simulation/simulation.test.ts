import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { plantedBugs, withBug } from './planted-bugs.mjs'
import { runHistory } from './run-history.js'
import { shrinkHistory } from './run-history.js'
import { drawHistory } from './steps.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

async function simulate(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['scripts/simulate.mjs', ...args], { cwd: root })
  return stdout
}

async function traceOf(seed: number): Promise<readonly string[]> {
  const lines: string[] = []
  const { violation } = await runHistory(drawHistory(seed), { trace: (line) => lines.push(line) })
  expect(violation).toBeNull()
  return lines
}

describe('the simulation', () => {
  it(
    'runs 300 histories in which every promise holds, and all that is promised happens',
    { timeout: 120_000 },
    async () => {
      const output = await simulate('--seed', '1', '--histories', '300')
      expect(output).toMatch(/^300 histories from seed 1 /)
      const counts = [
        ...output.matchAll(
          /(\d+) (claims|completions|refused tokens|used approvals|answers|occurrences|refused requests|expiries)/g,
        ),
      ]
      expect(counts).toHaveLength(8)
      for (const [, count] of counts) expect(Number(count)).toBeGreaterThan(5)
    },
  )

  it('runs a history the same way each time, and each seed has another one', async () => {
    const first = await traceOf(3)
    expect(await traceOf(3)).toEqual(first)
    expect(await traceOf(4)).not.toEqual(first)
  })

  it('shrinks a history to the steps that its failure needs', async () => {
    const history = drawHistory(8)
    const [needed, other] = [history.steps[1], history.steps.at(-1)]
    const shrunk = await shrinkHistory(history, async ({ steps }) =>
      [needed, other].every((each) => steps.some(({ chaos }) => chaos === each?.chaos)),
    )
    expect(shrunk.steps.map(({ chaos }) => chaos)).toEqual([needed?.chaos, other?.chaos])
    expect(shrunk.setup).toBe(history.setup)
  })

  it.each(plantedBugs)('has a place for the planted bug: $name', async (bug) => {
    const text = await readFile(new URL(`../../${bug.file}`, import.meta.url), 'utf8')
    expect(withBug(text, bug)).not.toBe(text)
    expect(() => withBug('another text', bug)).toThrow(bug.name)
  })
})
