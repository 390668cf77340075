// `npm run faults -- --minutes 5 --seed 1`: a board on a real PostgreSQL under faults, see docs/faults.md.
import { join } from 'node:path'
import { compilePrograms } from './compile-programs.mjs'
import { run } from './run.mjs'

const NAMES = ['main', 'board-process', 'worker-process', 'jumping-date']

/** Resolves to the exit code: 0 when every promise held. */
export async function faults(args) {
  const entries = Object.fromEntries(NAMES.map((name) => [name, `proof/faults/${name}.ts`]))
  const folder = await compilePrograms(entries, 'faults')
  return run(process.execPath, ['--enable-source-maps', join(folder, 'main.js'), ...args])
}

if (import.meta.filename === process.argv[1]) process.exitCode = await faults(process.argv.slice(2))
