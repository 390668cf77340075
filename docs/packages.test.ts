import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { exampleNames, packageNames } from '../scripts/packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The folders that have a manifest. */
const manifestsIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => existsSync(join(root, folder, name, 'package.json')))
    .toSorted()

// All else takes its packages from `workspaces` (scripts/packages.mjs). These two places do not.
describe('the packages', () => {
  it('are all in `workspaces` of package.json, and the examples too', () => {
    expect(packageNames).toEqual(manifestsIn('packages'))
    expect(exampleNames).toEqual(manifestsIn('examples'))
  })

  it('have each a row in the table of docs/README.md', () => {
    const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
    const rows = [...index.matchAll(/^\| \[`@taskboard\/(\w+)`\]/gm)].map(([, name = '']) => name)
    expect(rows.toSorted()).toEqual(packageNames)
  })
})
