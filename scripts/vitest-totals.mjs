import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, run } from './run.mjs'

const vitest = join(root, 'node_modules/vitest/vitest.mjs')

/**
 * Runs every test on the given Node.js binary and resolves with vitest's own totals. A run that fails without a failed
 * test (an error outside a test, coverage under its threshold) counts as one failure. `leftOut` has patterns of files.
 */
export async function runVitest({ node, coverage, leftOut = [] }) {
  const folder = await mkdtemp(join(tmpdir(), 'taskboard-vitest-'))
  const report = join(folder, 'report.json')
  const args = [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  if (coverage) args.push('--coverage')
  for (const pattern of leftOut) args.push('--exclude', pattern)
  try {
    const code = await run(node, args)
    const totals = JSON.parse(await readFile(report, 'utf8').catch(() => '{}'))
    const passed = totals.numPassedTests ?? 0
    const failed = totals.numFailedTests ?? 0
    return { passed, failed: code !== 0 && failed === 0 ? 1 : failed }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
