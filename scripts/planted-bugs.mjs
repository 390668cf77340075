// Shows that the simulation finds what it is for: compiles it once with each planted bug, and runs histories until one fails.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plantedBugs, withBug } from '../proof/simulation/planted-bugs.mjs'
import { compilePrograms } from './compile-programs.mjs'
import { capture, root } from './run.mjs'

const MOST_HISTORIES = 2_000
const MOST_STEPS = 20
/** A history runs on one core. */
const BUGS_AT_ONCE = 2

/** Puts a bug into its file while programs are compiled. */
export function planting(bug) {
  const path = join(root, bug.file)
  return {
    name: 'planted-bug',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path: loaded }) =>
        loaded === path ? { contents: withBug(readFileSync(path, 'utf8'), bug), loader: 'ts' } : undefined,
      )
    },
  }
}

/** Resolves to what the program found: how many histories ran, the broken promise and how many steps were enough. */
async function find(bug, index) {
  const entries = { simulate: 'proof/simulation/main.ts' }
  const folder = await compilePrograms(entries, `planted-bugs/${index}`, [planting(bug)])
  const args = [join(folder, 'simulate.js'), '--seed', '1', '--histories', String(MOST_HISTORIES), '--json']
  const { stdout, output } = await capture(process.execPath, args)
  try {
    return JSON.parse(stdout)
  } catch {
    throw new Error(`${bug.name}: ${output}`)
  }
}

/** Resolves to how many of the bugs were found, and were not. */
export async function findPlantedBugs(names = []) {
  const result = { passed: 0, failed: 0, failures: [] }
  const waiting = [...plantedBugs.entries()].filter(
    ([, bug]) => names.length === 0 || names.some((name) => bug.name.includes(name)),
  )
  await Promise.all(Array.from({ length: BUGS_AT_ONCE }, () => findEach(waiting, result)))
  return result
}

/** Looks for those that wait, until none is left. */
async function findEach(waiting, result) {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [index, bug] = next
    const { failed, seed, rule, steps } = await find(bug, index)
    const isFound = failed !== null && bug.rules.includes(rule) && steps <= MOST_STEPS
    const found =
      failed === null ? 'not found' : `history ${failed - seed + 1}, shrunk to ${steps} steps: ${rule}`
    console.log(`${isFound ? '✓' : '✗'} ${bug.name}: ${found}`)
    if (isFound) result.passed += 1
    else {
      result.failed += 1
      result.failures.push(`planted bug: ${bug.name}: ${found}`)
    }
  }
}

if (import.meta.filename === process.argv[1]) {
  const { failed } = await findPlantedBugs(process.argv.slice(2))
  process.exitCode = failed === 0 ? 0 : 1
}
