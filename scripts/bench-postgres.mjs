// Runs packages/postgres/bench/*.part.ts against one PostgreSQL server of their own, one after the other:
// `npm run bench:postgres -- claim limits` runs those whose name contains one of these.
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compilePrograms } from './compile-programs.mjs'
import { root, run } from './run.mjs'

const folder = 'packages/postgres/bench'
const parts = readdirSync(join(root, folder)).filter((name) => name.endsWith('.part.ts'))
const entries = ['run-parts.ts', ...parts].map((name) => [basename(name, '.ts'), `${folder}/${name}`])
const outDir = await compilePrograms(Object.fromEntries(entries), 'taskboard-bench-postgres')
// An interrupt reaches the child too, which stops its server. This waits for it.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)
process.exitCode = await run(process.execPath, [join(outDir, 'run-parts.js'), ...process.argv.slice(2)])
