// Builds every package after those that it imports.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { generate } from './generate.mjs'
import { packageNames, siblingsOf } from './packages.mjs'
import { root } from './run.mjs'

const tsup = join(root, 'node_modules/tsup/dist/cli-default.js')

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

const builds = new Map()
/** Builds a package once those are built whose types it has. */
function buildInTurn(name) {
  const known = builds.get(name)
  if (known !== undefined) return known
  const siblings = siblingsOf(name).map(buildInTurn)
  const built = Promise.all(siblings).then(() => compile(name, [tsup, '--silent']))
  builds.set(name, built)
  return built
}

await generate()
await Promise.all(packageNames.map(buildInTurn))
await compile('dashboard', ['scripts/build-app.mjs'])
