// `npm run simulate -- --seed 1 --histories 10000`: random histories of boards under faults, see docs/simulation.md.
import { join } from 'node:path'
import { compilePrograms } from './compile-programs.mjs'
import { runKeepingOutput } from './run.mjs'

/** Resolves to the exit code, which is 0 when every promise held, and the end of what was printed. */
export async function simulate(args) {
  const folder = await compilePrograms({ simulate: 'proof/simulation/main.ts' }, 'simulation')
  return runKeepingOutput(process.execPath, ['--enable-source-maps', join(folder, 'simulate.js'), ...args])
}

if (import.meta.filename === process.argv[1]) process.exitCode = (await simulate(process.argv.slice(2))).code
