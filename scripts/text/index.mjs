import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../run.mjs'
import { findingsIn } from './check.mjs'
import { proseOfMarkdown, proseOfSource } from './prose.mjs'

const SOURCES = /^(?:packages\/[^/]+\/(?:src|app|bin)|examples\/[^/]+\/src)\/.*\.(?:ts|tsx|mjs)$/
const TESTS = /\.test(?:-d)?\.tsx?$|\/test\/|\/generated\//
/** Their strings are titles of tests and tasks on sample boards, which no user reads. */
const SUITES = /^packages\/testing\//
const LIST = ['ls-files', '--cached', '--others', '--exclude-standard']

/** The files with prose in a clone: pages, and sources with doc comments and texts. */
export function textFiles(folder = root) {
  const paths = execFileSync('git', LIST, { cwd: folder, encoding: 'utf8' }).split('\n')
  return paths.filter(hasProse)
}

export const hasProse = (path) => path.endsWith('.md') || (SOURCES.test(path) && !TESTS.test(path))

const lineAt = (source, place) => source.slice(0, place).split('\n').length

/** What the rules find in a text, which they read by the kind of the file at `path`. */
export function findingsOf(path, source) {
  const blocks = path.endsWith('.md')
    ? proseOfMarkdown(source)
    : proseOfSource(source, { name: path, strings: !SUITES.test(path) })
  return blocks.flatMap((block) =>
    findingsIn(block).map(({ place, words, ...finding }) => ({
      ...finding,
      path,
      line: lineAt(source, place),
      words: words.trim().replaceAll(/\s+/g, ' '),
      surface: block.surface,
    })),
  )
}

/** What the rules find in files, without the exceptions. Their lines are `path: rule: words`. */
export function findingsInFiles(paths, { folder = root, exceptions = exceptionsOf() } = {}) {
  return paths
    .flatMap((path) => findingsOf(path, readFileSync(join(folder, path), 'utf8')))
    .filter(({ path, name, words }) => !exceptions.includes(`${path}: ${name}: ${words}`))
}

export function exceptionsOf() {
  const lines = readFileSync(new URL('exceptions.txt', import.meta.url), 'utf8').split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('#'))
}
