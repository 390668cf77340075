import { spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'

const TIME_LIMIT_MS = 300_000
const LONGEST_OUTPUT = 3_000
/**
 * How the first line of a failure begins when a test looked at what the product did. An import that fails, a name that is not defined and a test
 * that never ends have other ones.
 */
const ASSERTED =
  /^(?:AssertionError|TaskboardError|TaskboardApiError|CliError|Error: expected |Error: promise (?:resolved|rejected "(?:AssertionError|Taskboard\w*Error))|Error: Property failed)/

/** A wait of the test that was in vain, its end, and what the report of the runner has for the end of a test. */
const TIMED_OUT = /^Error: (?:Test timed out|timed out; last value|STACK_TRACE_ERROR)/

/**
 * Runs the named tests of a tree, and resolves with those that ran, as `{ file, title, passed, isAsserted, hasTimedOut, message }`, and with the faults outside of tests.
 * A test is named by its project, its file and a part of its full title.
 */
export async function runTests(tree, tests) {
  const report = join(tree, 'mutants-report.json')
  const args = ['run', '--reporter=json', `--outputFile.json=${report}`]
  for (const project of new Set(tests.map((test) => test.project))) args.push('--project', project)
  args.push(
    '-t',
    [...new Set(tests.map(({ title }) => title.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')))].join('|'),
  )
  args.push(...new Set(tests.map(({ file }) => file)))
  const output = await runVitest(tree, args)
  try {
    return resultsIn(tree, JSON.parse(await readFile(report, 'utf8')), tests)
  } catch (error) {
    return { ran: [], faults: [`${error.message}\n${output.slice(-LONGEST_OUTPUT)}`] }
  } finally {
    await rm(report, { force: true })
  }
}

/** Whether a test that ran is one of those that `test` names. */
export function isNamedBy(test, { file, title }) {
  return test.file === file && title.includes(test.title)
}

function resultsIn(tree, { testResults }, tests) {
  const ran = []
  const faults = []
  for (const { name, message, assertionResults } of testResults) {
    const file = relative(tree, name)
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    if (message && failed.length === 0) faults.push(`${file}: ${message}`)
    for (const { fullName: title, status, failureMessages } of assertionResults) {
      if (status !== 'passed' && status !== 'failed') continue
      const [text = ''] = failureMessages
      const found = {
        file,
        title,
        passed: status === 'passed',
        isAsserted: ASSERTED.test(text),
        hasTimedOut: TIMED_OUT.test(text),
        message: text,
      }
      if (tests.some((test) => isNamedBy(test, found))) ran.push(found)
    }
  }
  return { ran, faults }
}

/** Resolves to the output of a run that has ended, or was ended at the time limit. */
function runVitest(tree, args) {
  return new Promise((resolve, reject) => {
    const vitest = join(tree, 'node_modules/vitest/vitest.mjs')
    // A group of its own: the servers and programs that tests start end with it.
    const child = spawn(process.execPath, [vitest, ...args], {
      cwd: tree,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const end = () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }
    process.once('exit', end)
    const timer = setTimeout(end, TIME_LIMIT_MS)
    const chunks = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
    child.on('error', reject)
    child.on('close', () => {
      clearTimeout(timer)
      process.off('exit', end)
      resolve(Buffer.concat(chunks).toString())
    })
  })
}
