import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { capture, root, runKeepingOutput } from './run.mjs'

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
/** How fast-check begins. Such a failure was found by chance and is real, whether or not it is found again. */
const PROPERTY_FAILED = 'Property failed after'
/** Above it is the number of a signal. */
const LAST_EXIT_CODE = 128
/** More files than these do not fail for want of processor time. */
const MOST_FILES_AGAIN = 5

/**
 * Runs tests on the given Node.js binary: of all projects, or of those named, of all files, or of `only` those. `transforms` is a folder
 * for compiled sources, which the projects and later runs share. Resolves with vitest's own totals and the names and messages of the
 * tests that failed. A run that fails without a failed test (an error outside a test, coverage under its threshold) counts as one failure.
 *
 * Tests that share the machine with others can miss a deadline. So a few failed files run once more, each alone: what passes then has
 * passed, and its first message is in `unsteady`. A property that failed is not tried again. A run that a signal ended, as a crash of
 * Node.js does, is repeated once.
 */
export async function runVitest(options) {
  const first = await runOnce(options)
  if (first.code <= LAST_EXIT_CODE) return runFailedAgain(options, first)
  const second = await runFailedAgain(options, await runOnce(options))
  if (second.failed > 0) return second
  const ended = `signal ${first.code - LAST_EXIT_CODE} ended the first run`
  return { ...second, unsteady: [ended, ...second.unsteady] }
}

async function runFailedAgain(options, first) {
  const files = [...new Set(first.failed.map(({ file }) => file))]
  const isFinal = first.failed.some(({ message }) => message.includes(PROPERTY_FAILED))
  if (files.length === 0 || files.length > MOST_FILES_AGAIN || isFinal) return totalsOf(first)
  console.log(`\n== again, each alone: ${files.join(', ')}`)
  const again = await runOnce({ ...options, coverage: false, files })
  const isOf = (file) => files.includes(file)
  const passed = first.passed - first.passedIn.filter(isOf).length + again.passed
  const unsteady = again.failed.length === 0 && again.code === 0 ? first.failed.map(textOf) : []
  return { ...totalsOf({ ...again, passed }), unsteady }
}

/** All test files with the projects that run them. */
export async function testFiles() {
  const { code, stdout, output } = await capture(process.execPath, [vitest, 'list', '--filesOnly', '--json'])
  if (code !== 0) throw new Error(`vitest lists no files:\n${output}`)
  return JSON.parse(stdout).map(({ projectName, file }) => ({
    project: projectName,
    file: relative(root, file),
  }))
}

async function runOnce({ node, coverage = false, projects = [], only = [], files = [], transforms = '' }) {
  const folder = await mkdtemp(join(tmpdir(), 'taskboard-vitest-'))
  const report = join(folder, 'report.json')
  const args = [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  if (coverage) args.push('--coverage')
  for (const project of projects) args.push('--project', project)
  if (files.length > 0) args.push('--no-file-parallelism', ...files)
  else args.push(...only)
  try {
    const env = { ...process.env, TASKBOARD_TRANSFORMS: transforms }
    const { code, output } = await runKeepingOutput(node, args, { env, streams: ['stderr'] })
    return { code, output, ...resultsIn(JSON.parse(await readFile(report, 'utf8').catch(() => '{}'))) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function resultsIn({ testResults = [] }) {
  const passedIn = []
  const failed = []
  for (const { name, message, assertionResults } of testResults) {
    const file = relative(root, name)
    const failures = assertionResults.filter(({ status }) => status === 'failed')
    for (const { status } of assertionResults) if (status === 'passed') passedIn.push(file)
    for (const { fullName, failureMessages } of failures)
      failed.push({ file, title: fullName, message: failureMessages.join('\n') })
    if (failures.length === 0 && message) failed.push({ file, title: 'the file', message })
  }
  return { passed: passedIn.length, passedIn, failed }
}

function totalsOf({ code, output, passed, failed }) {
  const failures = failed.map(textOf)
  if (code !== 0 && failed.length === 0) failures.push(`exit code ${code} without a failed test:\n${output}`)
  return { passed, failed: failures.length, failures, unsteady: [] }
}

const textOf = ({ file, title, message }) => `${file}: ${title}\n${message}`
