// Loads the board on a separate PostgreSQL for a while and reports whether memory and connections stay flat:
// `npm run soak:postgres -- --minutes 10`. Compiled as the benchmarks are, so that no loader counts.
import { join } from 'node:path'
import { build } from 'tsup'
import { root, run } from './run.mjs'

const outDir = join(root, 'node_modules/.cache/taskboard-soak')

await build({
  config: false,
  entry: { soak: join(root, 'packages/postgres/soak/soak.ts') },
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
  join(outDir, 'soak.js'),
  ...process.argv.slice(2),
])
