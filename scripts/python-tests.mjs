import { join } from 'node:path'
import { capture, root } from './run.mjs'

const folder = join(root, 'clients/python')

/**
 * Runs the tests of the Python client against the demo, and resolves with their totals. Where there is no `python3`, they are skipped,
 * unless `isRequired`.
 */
export async function runPythonTests({ isRequired }) {
  const found = await capture('python3', ['--version']).catch(() => null)
  if (found?.code !== 0) {
    const reason = 'python3 is not installed'
    console.log(isRequired ? reason : `skipped: ${reason}`)
    return { passed: 0, failed: isRequired ? 1 : 0, failures: isRequired ? [reason] : [] }
  }
  console.log(found.output.trim())
  const args = ['-m', 'unittest', 'discover', '-t', '.', '-s', 'tests']
  const env = { ...process.env, TASKBOARD_NODE: process.execPath, PYTHONDONTWRITEBYTECODE: '1' }
  const { code, output } = await capture('python3', args, { cwd: folder, env })
  console.log(output)
  const count = (pattern) => Number(pattern.exec(output)?.[1] ?? 0)
  const ran = count(/^Ran (\d+) tests?/m)
  const bad = count(/failures=(\d+)/) + count(/errors=(\d+)/)
  // Without a count, it did not get that far.
  const failed = code === 0 && ran > 0 ? 0 : Math.max(1, bad)
  const skipped = count(/skipped=(\d+)/)
  return {
    passed: Math.max(0, ran - bad - skipped),
    failed,
    failures: failed > 0 ? [output.slice(-4_000)] : [],
  }
}
