// Builds every package, core before those that import it. `--stale` skips a package whose output is newer than its sources.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAppFresh } from '../packages/dashboard/scripts/build-app.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const tsup = join(root, 'node_modules/tsup/dist/cli-default.js')
const onlyStale = process.argv.includes('--stale')

function newestSourceMs(folder) {
  const times = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs)
  return Math.max(0, ...times)
}

function isFresh(name, dependsOnMs) {
  return isNewer(
    join(root, 'packages', name, 'dist/index.d.ts'),
    [join(root, 'packages', name, 'src')],
    dependsOnMs,
  )
}

function isNewer(output, folders, dependsOnMs) {
  if (!existsSync(output)) return false
  const builtMs = statSync(output).mtimeMs
  return Math.max(dependsOnMs, ...folders.filter(existsSync).map(newestSourceMs)) < builtMs
}

const build = (name) => compile(name, [tsup, '--silent'])

function compile(name, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: join(root, 'packages', name),
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    child.on('error', reject)
    child.on('exit', (code) => {
      if (code === 0) {
        console.log(`built packages/${name}`)
        resolve()
      } else reject(new Error(`packages/${name} does not build`))
    })
  })
}

const dependents = [
  'memory',
  'postgres',
  'testing',
  'express',
  'fastify',
  'graphql',
  'mcp',
  'ws',
  'notify',
  'client',
  'dashboard',
]
const coreSourceMs = newestSourceMs(join(root, 'packages/core/src'))
if (!onlyStale || !isFresh('core', 0)) await build('core')
await Promise.all(dependents.filter((name) => !onlyStale || !isFresh(name, coreSourceMs)).map(build))
// Its types are those of the client and the Postgres storage.
if (!onlyStale || !isFresh('cli', coreSourceMs)) await build('cli')
if (!onlyStale || !isAppFresh()) await compile('dashboard', ['scripts/build-app.mjs'])
