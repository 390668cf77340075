// Loads the board on a separate PostgreSQL for a while and reports whether memory and connections stay flat:
// `npm run soak:postgres -- --minutes 10`. With `churn` first, four processes work a board on which retention deletes all the time, and it
// reports whether rates and sizes stay as they are. Compiled as the benchmarks are, so that no loader counts.
import { join } from 'node:path'
import { build } from 'tsup'
import { root, run } from './run.mjs'

const outDir = join(root, 'node_modules/.cache/taskboard-soak')

const [first, ...rest] = process.argv.slice(2)
const [program, programOptions] = first === 'churn' ? ['churn', rest] : ['soak', process.argv.slice(2)]

await build({
  config: false,
  entry: { [program]: join(root, `packages/postgres/soak/${program}.ts`) },
  outDir,
  format: 'esm',
  target: 'node20.19',
  silent: true,
  skipNodeModulesBundle: true,
  noExternal: [/^@taskboard\//],
  loader: { '.sql': 'text' },
  esbuildOptions(options) {
    options.conditions = ['@taskboard/source']
  },
})
process.exitCode = await run(process.execPath, [
  '--expose-gc',
  join(outDir, `${program}.js`),
  ...programOptions,
])
