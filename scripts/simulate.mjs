// `npm run simulate -- --seed 1 --histories 10000`: random histories of boards under faults, see docs/simulation.md.
import { join } from 'node:path'
import { compilePrograms } from './compile-programs.mjs'
import { run } from './run.mjs'

/** Resolves to the exit code: 0 when every promise held. */
export async function simulate(args) {
  const folder = await compilePrograms({ simulate: 'proof/simulation/main.ts' }, 'simulation')
  return run(process.execPath, ['--enable-source-maps', join(folder, 'simulate.js'), ...args])
}

if (import.meta.filename === process.argv[1]) process.exitCode = await simulate(process.argv.slice(2))
