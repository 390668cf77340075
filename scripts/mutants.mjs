// Makes each mutant in a copy of the sources, one at a time, and runs the tests that must fail. All must be caught.
// `npm run mutants -- lease webhook` makes those whose name has one of the words.
import { rmSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { located, mutants } from '../proof/mutants/mutants.mjs'
import { plant } from '../proof/mutants/plant.mjs'
import { isNamedBy, runTests } from '../proof/mutants/run-tests.mjs'
import { copyTree, withMutant } from '../proof/mutants/tree-copy.mjs'
import { root } from './run.mjs'

const { values: options, positionals: parts } = parseArgs({
  options: { 'at-once': { type: 'string', default: '2' } },
  allowPositionals: true,
})
const chosen = mutants.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)))
if (chosen.length === 0) throw new Error('no mutant has such a name')

/** A mutant with its files. @throws Error that says what is gone when it cannot be made. */
async function fitted(mutant) {
  const found = located(mutant)
  plant(await readFile(join(root, found.file), 'utf8'), found.within, found.change)
  return found
}

/** Why the tests say nothing of a mutant, as `results` of the unchanged sources; null when all that it names exist and pass. */
function unfitTests({ caughtBy }, { ran, faults }) {
  for (const test of caughtBy) {
    const named = ran.filter((each) => isNamedBy(test, each))
    const failed = named.find(({ passed }) => !passed)
    if (failed) return `fails without it: ${failed.title}: ${failed.message}`
    if (named.length === 0)
      return `no test of ${test.file} ran that is named “${test.title}” ${faults.join('\n')}`
  }
  return null
}

/** Why a mutant is not caught; null when every test that it names failed, and by what it expects. */
function verdictOf({ caughtBy, hangs = false }, { ran, faults }) {
  for (const test of caughtBy) {
    const failed = ran.filter((each) => isNamedBy(test, each) && !each.passed)
    if (failed.some(({ isAsserted, hasTimedOut }) => isAsserted || (hangs && hasTimedOut))) continue
    const [first] = failed
    if (first) return `${first.title} fails otherwise: ${first.message.split('\n')[0]}`
    return faults.length > 0 ? `does not load: ${faults[0]}` : `survives ${test.file}: ${test.title}`
  }
  return null
}

/** Does the works one after the other in each of the trees. */
async function inTrees(trees, works) {
  const left = [...works]
  await Promise.all(
    trees.map(async (tree) => {
      for (let work = left.shift(); work !== undefined; work = left.shift()) await work(tree)
    }),
  )
}

const failures = []
const fail = (name, reason) => {
  failures.push(name)
  console.log(`✗ ${name}: ${reason}`)
}
const secondsSince = (startedMs) => ((performance.now() - startedMs) / 1_000).toFixed(1)

async function runAll(trees) {
  const fit = []
  for (const mutant of chosen) {
    const found = await fitted(mutant).catch((error) => fail(mutant.name, error.message))
    if (found !== undefined) fit.push(found)
  }
  const tests = fit.flatMap(({ caughtBy }) => caughtBy)
  const before = { ran: [], faults: [] }
  const runProject = (project) => async (tree) => {
    const { ran, faults } = await runTests(
      tree,
      tests.filter((test) => test.project === project),
    )
    before.ran.push(...ran)
    before.faults.push(...faults)
  }
  const startedMs = performance.now()
  await inTrees(trees, [...new Set(tests.map(({ project }) => project))].map(runProject))
  console.log(`the unchanged sources: ${before.ran.length} tests, ${secondsSince(startedMs)} s\n`)
  const judge = (mutant) => async (tree) => {
    const { name, promise, caughtBy } = mutant
    const unfit = unfitTests(mutant, before)
    if (unfit !== null) return fail(name, unfit)
    const mutatedMs = performance.now()
    const verdict = await withMutant(tree, mutant, async () =>
      verdictOf(mutant, await runTests(tree, caughtBy)),
    )
    if (verdict !== null) return fail(name, verdict)
    const by = caughtBy.map(({ file, title }) => `${file.replace(/^packages\//, '')}: ${title}`)
    console.log(`✓ ${name} | ${promise} | ${by.join('; ')} | ${secondsSince(mutatedMs)} s`)
  }
  await inTrees(trees, fit.map(judge))
  return startedMs
}

const folder = await mkdtemp(join(tmpdir(), 'taskboard-mutants-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const trees = Array.from({ length: Number(options['at-once']) }, (_, index) => join(folder, String(index)))
for (const tree of trees) await copyTree(root, tree)
const startedMs = await runAll(trees)
console.log(
  `\n${chosen.length - failures.length} of ${chosen.length} mutants caught, ${secondsSince(startedMs)} s`,
)
for (const name of failures) console.log(`not caught: ${name}`)
process.exitCode = failures.length === 0 ? 0 : 1
