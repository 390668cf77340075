// Lint, types and the tests: `npm test`, within five minutes on two cores.
// `--all` adds what scripts/only-in-ci.mjs leaves to continuous integration, coverage, the build and the packed packages.
// `--matrix` adds those of `npm test` on the other pinned Node.js releases that meet the release itself. The last line sums up what passed and failed.
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { faults } from './faults.mjs'
import { generate } from './generate.mjs'
import { isAppFresh } from '../packages/dashboard/scripts/build-app.mjs'
import { nodeBinary } from './node-matrix/index.mjs'
import { checkPackages } from './package-checks/index.mjs'
import { withoutThoseOfCi } from './only-in-ci.mjs'
import { runPythonTests } from './python-tests.mjs'
import { findPlantedBugs } from './planted-bugs.mjs'
import { capture, root, run } from './run.mjs'
import { simulate } from './simulate.mjs'
import { runVitest, testFiles } from './vitest-totals.mjs'

const isMatrix = process.argv.includes('--matrix')
const isAll = isMatrix || process.argv.includes('--all')
const bin = (name) => join(root, 'node_modules/.bin', name)
/** After `npm ci --prefix packages/ai/sdk-7`. */
const nextAiSdk = join(root, 'packages/ai/sdk-7/node_modules')
/** After `npm ci --omit=optional --prefix examples/agent-sdks/claude-sdk`. */
const claudeSdk = join(root, 'examples/agent-sdks/claude-sdk/node_modules')
const types = (title, folder, ...options) => ({
  title,
  command: process.execPath,
  args: [join(root, 'node_modules/typescript-native/bin/tsc'), '--noEmit', '-p', folder, ...options],
})
/** None writes what another one reads, so that some can run at once. */
const gates = [
  types('types', '.'),
  types('types of the dashboard', 'packages/dashboard/app'),
  // As part of the build, or here: several projects of tests need it, and each would make it.
  ...(isAll || isAppFresh()
    ? []
    : [
        {
          title: 'build of the dashboard',
          command: process.execPath,
          args: [join(root, 'packages/dashboard/scripts/build-app.mjs')],
        },
      ]),
  { title: 'lint', command: bin('oxlint'), args: ['--deny-warnings'] },
  { title: 'dependency rules', command: bin('depcruise'), args: ['packages', 'examples', 'proof'] },
  { title: 'unused files and dependencies', command: bin('knip'), args: ['--no-progress'] },
  { title: 'text', command: process.execPath, args: [join(root, 'scripts/lint-text.mjs')] },
  { title: 'format', command: bin('oxfmt'), args: ['--list-different'] },
]
/** On the packages as they are built, as hosts have them: to check their sources again would take five times as long. */
const onBuilt = (title, folder) => types(title, folder, '--customConditions', 'built')
const gatesOnBuilt = [
  ...(existsSync(nextAiSdk) ? [onBuilt('types on the next AI SDK', 'packages/ai/sdk-7')] : []),
  ...(existsSync(claudeSdk)
    ? [onBuilt('types on the Claude Agent SDK', 'examples/agent-sdks/claude-sdk')]
    : []),
]
const GATES_AT_ONCE = 2
/** Their tests reach all of the core that is reached. Coverage takes half as long again, so that the other projects run without. */
const COVERING = [
  'core',
  'memory',
  'testing',
  'bots',
  'express',
  'ws',
  'notify',
  'otel',
  'client',
  'dashboard',
]
/** What meets the release itself, with its sockets, streams and timers. */
const HOSTS_AND_CLIENTS = ['express', 'fastify', 'ws', 'client', 'notify', 'otel']
/** What each route does is the core's, and meets nothing of a release. The tests of the hosts meet it. */
const ROUTES_OF_V2 = 'packages/express/src/api-v2.test.ts'
/**
 * What the other releases run: hosts and clients, and on the newest one the SDK of models. Of what stands on them, one file runs on
 * each: commands as programs, and the driver of PostgreSQL with its sockets and timers. What only computes (core, its storage in memory,
 * the suites) meets nothing of a release that these do not load.
 */
const OTHER_RELEASES = [
  {
    release: 22,
    packages: HOSTS_AND_CLIENTS,
    also: 'packages/cli/src/login.test.ts',
  },
  {
    release: 24,
    packages: [...HOSTS_AND_CLIENTS, 'ai'],
    also: 'packages/postgres/src/listen/commit-notifications.test.ts',
  },
]
const FAULTS = ['--minutes', '0.5', '--seed', '1']
/** The first ones are part of the tests. */
const SIMULATED_FROM = 1_001
const SIMULATED = 3_000
const total = { passed: 0, failed: 0 }
const failures = []
const unsteady = []
const times = []

function add(title, result) {
  total.passed += result.passed
  total.failed += result.failed
  failures.push(...(result.failures ?? []).map((failure) => `${title}: ${failure}`))
  unsteady.push(...(result.unsteady ?? []).map((failure) => `${title}: ${failure}`))
}

const secondsSince = (startedMs) => ((performance.now() - startedMs) / 1000).toFixed(1)

async function step(title, work) {
  console.log(`\n== ${title}`)
  const startedMs = performance.now()
  add(title, await work())
  const line = `${title}: ${secondsSince(startedMs)} s`
  times.push(line)
  console.log(`== ${line}`)
}

const broken = new Set()
async function runGates(waiting) {
  for (let gate = waiting.shift(); gate !== undefined; gate = waiting.shift()) {
    const { title, command, args, options } = gate
    const startedMs = performance.now()
    const { code, output } = await capture(command, args, options)
    if (code !== 0) broken.add(title)
    add(title, { passed: 0, failed: code === 0 ? 0 : 1 })
    console.log(`\n== ${title}\n${output}== ${title}: ${secondsSince(startedMs)} s`)
  }
}

/** Some of them at a time. */
async function runAtOnce(all) {
  const waiting = [...all]
  await Promise.all(Array.from({ length: GATES_AT_ONCE }, () => runGates(waiting)))
}

await generate()
// Beside the gates and the build, because it mostly waits.
const python = runPythonTests({ isRequired: isMatrix })
const stepOfPython = () => step('tests of the Python client', () => python)
await runAtOnce(gates)
const known = await testFiles()
const few = withoutThoseOfCi(known.map(({ file }) => file))
const projects = [...new Set(known.map(({ project }) => project))]
const transforms = await mkdtemp(join(tmpdir(), 'taskboard-transforms-'))

function byExitCode({ code, output }) {
  return code === 0
    ? { passed: 1, failed: 0 }
    : { passed: 0, failed: 1, failures: [`exit code ${code}:\n${output}`] }
}

async function runAll() {
  await step('build', async () => {
    const failed = (await run(process.execPath, [join(root, 'scripts/build.mjs')])) === 0 ? 0 : 1
    if (failed > 0) broken.add('build')
    return { passed: 0, failed }
  })
  await runAtOnce(gatesOnBuilt)
  await stepOfPython()
  await step(`tests on Node ${process.version}, with coverage`, () =>
    runVitest({ node: process.execPath, coverage: true, projects: COVERING }),
  )
  const notCovering = projects.filter((name) => !COVERING.includes(name))
  await step(`tests on Node ${process.version}`, () =>
    runVitest({ node: process.execPath, projects: notCovering, transforms }),
  )
}

async function runPackages() {
  if (!broken.has('build')) await step('packages', checkPackages)
}

/** A history runs on one core; what is beside it uses the other one. The faults have the machine for themselves. */
async function runProofs() {
  const simulation = step('simulation', async () =>
    byExitCode(await simulate(['--seed', String(SIMULATED_FROM), '--histories', String(SIMULATED)])),
  )
  await runPackages()
  await step('planted bugs', () => findPlantedBugs())
  await simulation
  await step('faults', async () => byExitCode(await faults(FAULTS)))
}

if (isAll) await runAll()
else {
  await stepOfPython()
  await step(`tests on Node ${process.version}`, () =>
    runVitest({ node: process.execPath, only: few, transforms }),
  )
}
if (isMatrix) await runProofs()
else if (isAll) await runPackages()

/** Of those that `npm test` runs. Throws for a project or file without a test: it was renamed or removed. */
function testsOn({ packages, also }) {
  const missing = [
    ...packages.filter((name) => !projects.includes(name)),
    ...(few.includes(also) ? [] : [also]),
  ]
  if (missing.length > 0) throw new Error(`no test is of ${missing.join(', ')}`)
  const chosen = known
    .filter(({ file }) => few.includes(file))
    .filter(({ project, file }) => file === also || (packages.includes(project) && file !== ROUTES_OF_V2))
  return {
    projects: [...new Set(chosen.map(({ project }) => project))],
    only: [...new Set(chosen.map(({ file }) => file))],
  }
}

for (const other of isMatrix ? OTHER_RELEASES : []) {
  await step(`tests on Node ${other.release}`, async () => {
    const node = nodeBinary(other.release)
    if (node !== null) return runVitest({ node, ...testsOn(other), transforms })
    const reason = `no binary of Node ${other.release} here: npm ci --prefix scripts/node-matrix`
    return { passed: 0, failed: 1, failures: [reason] }
  })
}

await rm(transforms, { recursive: true, force: true })
// Repeated at the end, for logs that keep only their last lines.
console.log(`\n${times.join('\n')}`)
for (const failure of unsteady) console.log(`\npassed only when it ran again: ${failure}`)
for (const failure of failures) console.log(`\n${failure}`)
if (broken.size > 0) console.log(`\nfailed: ${[...broken].join(', ')}`)
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1
