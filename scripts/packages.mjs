import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const packagesFolder = fileURLToPath(new URL('../packages', import.meta.url))

/** The folders of all packages. */
export const packageNames = readdirSync(packagesFolder)
  .filter((name) => existsSync(join(packagesFolder, name, 'package.json')))
  .toSorted()

/** Which other packages the users of a package install with it. */
export function siblingsOf(name) {
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(packagesFolder, name, 'package.json'), 'utf8'),
  )
  return packageNames.filter((other) => `@taskboard/${other}` in { ...dependencies, ...peerDependencies })
}
