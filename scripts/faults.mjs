// `npm run faults -- --minutes 5 --seed 1`: a board on a real PostgreSQL under faults, see docs/faults.md.
import { join } from 'node:path'
import { compilePrograms } from './compile-programs.mjs'
import { runKeepingOutput } from './run.mjs'

const NAMES = ['main', 'board-process', 'worker-process', 'jumping-date']

/** Compiles the programs; resolves to the first of them. */
export async function compileFaults(folder, plugins = []) {
  const entries = Object.fromEntries(NAMES.map((name) => [name, `proof/faults/${name}.ts`]))
  return join(await compilePrograms(entries, folder, plugins), 'main.js')
}

/** Resolves to the exit code, which is 0 when every promise held, and the end of what was printed. */
export async function faults(args) {
  return runKeepingOutput(process.execPath, ['--enable-source-maps', await compileFaults('faults'), ...args])
}

if (import.meta.filename === process.argv[1]) process.exitCode = (await faults(process.argv.slice(2))).code
