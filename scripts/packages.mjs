import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

/** The manifest in a folder of the repository. */
export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

/** The folders of all workspaces: the only list of packages, from which every other one follows. */
export const workspaces = manifestOf('.').workspaces

const namesIn = (folder) =>
  workspaces
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => path.slice(folder.length + 1))
    .toSorted()

/** The folders of `packages/`. */
export const packageNames = namesIn('packages')

/** The folders of `examples/`. */
export const exampleNames = namesIn('examples')

/** What the users of a package import, each entry by its name (`core/storage`), and its source by its path in the repository. */
export function entriesOf(name) {
  const folder = join('packages', name)
  return Object.entries(manifestOf(folder).exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([entry, target]) => ({
      name: join(name, entry).replace(/\/$/, ''),
      source: join(folder, target['@taskboard/source']),
    }))
}
