import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { packageNames } from './packages.mjs'
import { root } from './run.mjs'

/** The folders of the pages of the docs site, by their paths in the repository. */
export const siteFolders = [
  '.',
  'examples',
  'docs',
  'docs/decisions',
  'docs/reference',
  'docs/security',
  'docs/images',
  'clients/python',
  ...packageNames.map((name) => `packages/${name}`),
]

/** The files that the site serves as they are, besides pages and pictures. Pages link to them. */
export const siteDownloads = ['packages/graphql/schema.graphql']

/** The pages and pictures in a folder of the site, by their paths in the repository. */
export function siteFilesIn(folder) {
  return readdirSync(join(root, folder))
    .filter((name) => /\.(?:md|svg|png)$/.test(name))
    .map((name) => join(folder, name))
}
