// Runs packages/*/bench/*.bench.ts, each in a separate process: `npm run bench -- claim` runs those whose path contains "claim".
// Also runs them on Node 24 once `npm ci --prefix scripts/node-matrix` has run. Benchmarks that need a PostgreSQL server are run by
// `npm run bench:postgres`.
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
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

const filters = process.argv.slice(2)
const sources = packageNames
  .flatMap((name) => benchFiles(`packages/${name}/bench`))
  .filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)))
  .toSorted((a, b) => (a < b ? -1 : 1))
if (sources.length === 0) throw new Error(`no benchmark matches ${filters.join(', ')}`)

const entries = Object.fromEntries(sources.map((path) => [basename(path, '.ts'), path]))
const outDir = await compilePrograms(entries, 'taskboard-bench')
const binaries = [process.execPath, nodeBinary(24)].filter((path) => path !== null)
for (const path of sources) {
  for (const node of binaries) {
    console.log(`\n== ${path} on ${node === process.execPath ? process.version : 'Node 24'}`)
    const code = await run(node, ['--expose-gc', join(outDir, `${basename(path, '.ts')}.js`)])
    if (code !== 0) process.exitCode = 1
  }
}
