import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root, run } from './run.mjs'

const vitest = join(root, 'node_modules/vitest/vitest.mjs')

/**
 * Runs every test but those in files that match `exclude` on the given Node.js binary, and resolves with vitest's own totals and the names and
 * messages of the tests that failed. A run that fails without a failed
 * test (an error outside a test, coverage under its threshold) counts as one failure.
 */
export async function runVitest({ node, coverage, exclude = [] }) {
  const folder = await mkdtemp(join(tmpdir(), 'taskboard-vitest-'))
  const report = join(folder, 'report.json')
  const args = [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  if (coverage) args.push('--coverage')
  for (const files of exclude) args.push('--exclude', files)
  try {
    const code = await run(node, args)
    const totals = JSON.parse(await readFile(report, 'utf8').catch(() => '{}'))
    const passed = totals.numPassedTests ?? 0
    const failed = totals.numFailedTests ?? 0
    const failures = failuresIn(totals)
    if (code !== 0 && failed === 0)
      return { passed, failed: 1, failures: ['a fault outside of the tests', ...failures] }
    return { passed, failed, failures }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function failuresIn({ testResults = [] }) {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(root, name)
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    if (failed.length === 0) return message ? [`${file}: ${message}`] : []
    return failed.map(
      ({ fullName, failureMessages }) => `${file}: ${fullName}\n${failureMessages.join('\n')}`,
    )
  })
}
