// Builds every package after those that it imports. `--stale` skips a package whose output is newer than its sources.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAppFresh } from '../packages/dashboard/scripts/build-app.mjs'
import { isDemoFresh } from './demo-output.mjs'
import { packageNames, packagesFolder, siblingsOf } from './packages.mjs'

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
  const output = join(packagesFolder, name, 'dist/index.d.ts')
  if (!existsSync(output)) return false
  return Math.max(dependsOnMs, newestSourceMs(join(packagesFolder, name, 'src'))) < statSync(output).mtimeMs
}

const build = (name) => compile(name, [tsup, '--silent'])

function compile(name, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: join(packagesFolder, name),
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

const coreSourceMs = newestSourceMs(join(packagesFolder, 'core/src'))
const isDue = (name) => !onlyStale || !isFresh(name, name === 'core' ? 0 : coreSourceMs)

const builds = new Map()
/** Builds a package once those are built whose types it has. */
function buildInTurn(name) {
  const known = builds.get(name)
  if (known !== undefined) return known
  const siblings = siblingsOf(name).map(buildInTurn)
  const built = Promise.all(siblings).then(() => (isDue(name) ? build(name) : undefined))
  builds.set(name, built)
  return built
}

await Promise.all(packageNames.map(buildInTurn))
if (!onlyStale || !isAppFresh()) await compile('dashboard', ['scripts/build-app.mjs'])
if (!onlyStale || !isDemoFresh()) {
  const { buildDemo } = await import('./build-demo.mjs')
  await buildDemo()
  console.log('built the example servers')
}
