// Builds every package into its `dist`: what Node.js runs, the declarations of its types, and the application of the dashboard.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { compileDeclarations, copyDeclarations } from './declarations.mjs'
import { generate } from './generate.mjs'
import { packageNames } from './packages.mjs'
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

await generate()
await Promise.all([compileDeclarations(), ...packageNames.map((name) => compile(name, [tsup, '--silent']))])
// Not before: tsup empties the folders.
await Promise.all(packageNames.map(copyDeclarations))
await compile('dashboard', ['scripts/build-app.mjs'])
