// Runs packages/*/bench/*.bench.ts, each in a separate process: `npm run bench -- claim` runs those whose path contains "claim".
// Also runs them on Node 24 once `npm ci --prefix scripts/node-matrix` has run. Benchmarks that need a PostgreSQL server are run by
// `npm run bench:postgres`. `--record` keeps the figures for the docs, see bench-figures.mjs.
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { benchArguments, figureCollector } from './bench-figures.mjs'
import { compilePrograms } from './compile-programs.mjs'
import { nodeBinary } from './node-matrix/index.mjs'
import { packageNames } from './packages.mjs'
import { root, run } from './run.mjs'

function benchFiles(folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.bench.ts'))
    .map((name) => `${folder}/${name}`)
}

const { isRecorded, runs, rest: filters } = benchArguments(process.argv.slice(2))
const sources = packageNames
  .flatMap((name) => benchFiles(`packages/${name}/bench`))
  .filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)))
  .toSorted((a, b) => (a < b ? -1 : 1))
if (sources.length === 0) throw new Error(`no benchmark matches ${filters.join(', ')}`)

const entries = Object.fromEntries(sources.map((path) => [basename(path, '.ts'), path]))
const outDir = await compilePrograms(entries, 'taskboard-bench')
const binaries = [process.execPath, nodeBinary(24)].filter((path) => path !== null)
const figures = figureCollector('memory', { isRecorded })
for (const path of sources) {
  for (const node of Array.from({ length: runs }, () => binaries).flat()) {
    const version = node === process.execPath ? process.version : 'v24'
    console.log(`\n== ${path} on Node.js ${version.slice(1)}`)
    const env = { ...process.env, ...figures.env(`Node.js ${version.slice(1).split('.')[0]}`) }
    const code = await run(node, ['--expose-gc', join(outDir, `${basename(path, '.ts')}.js`)], { env })
    if (code !== 0) process.exitCode = 1
  }
}
await figures.save(`Node.js ${process.versions.node}`)
