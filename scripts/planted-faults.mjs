// `npm run faults:planted`: shows that a run of faults finds what it is for, with each planted bug for half a minute.
import { plantedBugs } from '../proof/faults/planted-bugs.mjs'
import { compileFaults } from './faults.mjs'
import { planting } from './planted-bugs.mjs'
import { capture } from './run.mjs'

const FAULTS = ['--minutes', '0.6', '--seed', '1']

process.exitCode = 0
for (const [index, bug] of plantedBugs.entries()) {
  const program = await compileFaults(`planted-faults/${index}`, [planting(bug)])
  const { code, output } = await capture(process.execPath, [program, ...FAULTS])
  const isNamed = bug.rules.some((promise) => new RegExp(`^${promise} .*[1-9]\\d*$`, 'm').test(output))
  const isFound = code !== 0 && isNamed
  console.log(`${isFound ? '✓' : '✗'} ${bug.name}${isFound ? `: ${bug.rules.join(', ')}` : `\n${output}`}`)
  if (!isFound) process.exitCode = 1
}
