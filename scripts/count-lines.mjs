// Counts the files and lines of all tracked text but tests, lock files and pictures, by package and folder.
// `--against <git ref>` also counts that state, and shows before, after and difference of each row.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './run.mjs'

/** What only tests load: proof/kit is what the tests of several packages share. Cases that packages/testing ships are code. */
const TESTS = /\.test(-d)?\.[cm]?tsx?$|(^|\/)tests?\/|^proof\/kit\//
const LOCKS = /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|[^/]+\.lock)$/
const PICTURES = /\.(png|svg|jpe?g|gif|webp|ico)$/
const GENERATED = /\b(generated|made) by\b|@generated/i
/** Folders of which each folder within has a row. */
const SPLIT = /^(packages|examples|clients|proof)\/[^/]+\//

/** Standard output of Git. */
function git(args, input, variables = {}) {
  const env = { ...process.env, ...variables }
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, env, input, maxBuffer: 1 << 30 })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${String(stderr)}`)
  return stdout
}

const isCounted = ({ path }) => !TESTS.test(path) && !LOCKS.test(path) && !PICTURES.test(path)

/** The files of the working tree that Git tracks, with what they contain. */
function trackedFiles() {
  const paths = git(['ls-files', '-z', '--deduplicate']).toString().split('\0').filter(Boolean)
  const deleted = new Set(git(['ls-files', '-z', '--deleted']).toString().split('\0'))
  const files = paths.filter((path) => !deleted.has(path)).map((path) => ({ path }))
  return files.filter(isCounted).map(({ path }) => ({ path, bytes: readFileSync(join(root, path)) }))
}

/** The files of a commit, with what they contain. */
function filesOf(ref) {
  const entries = git(['ls-tree', '-r', '-z', ref]).toString().split('\0').filter(Boolean)
  const files = entries
    .map((entry) => ({ id: entry.split(/[ \t]/)[2], path: entry.slice(entry.indexOf('\t') + 1) }))
    .filter(isCounted)
  const all = git(['cat-file', '--batch'], files.map(({ id }) => `${id}\n`).join(''))
  let at = 0
  return files.map(({ path }) => {
    const begin = all.indexOf('\n', at) + 1
    const size = Number(all.toString('latin1', at, begin).trim().split(' ')[2])
    at = begin + size + 1
    return { path, bytes: all.subarray(begin, begin + size) }
  })
}

/** The paths that `.gitattributes` marks as generated, that of the working tree or of a commit. */
function markedFiles(files, ref) {
  const folder = mkdtempSync(join(tmpdir(), 'taskboard-lines-'))
  const index = ref === undefined ? {} : { GIT_INDEX_FILE: join(folder, 'index') }
  if (ref !== undefined) git(['read-tree', ref], '', index)
  const args = [
    'check-attr',
    '--stdin',
    '-z',
    ...(ref === undefined ? [] : ['--cached']),
    'linguist-generated',
  ]
  const paths = files.map(({ path }) => path)
  const values = git(args, paths.map((path) => `${path}\0`).join(''), index)
    .toString()
    .split('\0')
  rmSync(folder, { recursive: true })
  return new Set(paths.filter((_, at) => /^(set|true)$/.test(values[3 * at + 2])))
}

function linesIn(bytes) {
  let count = bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0
  for (const byte of bytes) if (byte === 10) count += 1
  return count
}

const rowOf = (path) =>
  (SPLIT.exec(path)?.[0] ?? path.slice(0, path.indexOf('/') + 1)).replace(/\/$/, '') || 'root'

/** Files and lines of each row, and in all: of them those that are generated, and those by hand. */
function countsOf(files, ref) {
  const texts = files.filter(({ bytes }) => !bytes.subarray(0, 8_000).includes(0))
  const marked = markedFiles(texts, ref)
  const counts = new Map()
  const add = (row, lines) => {
    const before = counts.get(row) ?? { files: 0, lines: 0 }
    counts.set(row, { files: before.files + 1, lines: before.lines + lines })
  }
  for (const { path, bytes } of texts) {
    const lines = linesIn(bytes)
    const [firstLine] = bytes.toString('utf8', 0, 400).split('\n', 1)
    add(rowOf(path), lines)
    add(marked.has(path) || GENERATED.test(firstLine) ? 'generated' : 'by hand', lines)
    add('in all', lines)
  }
  return counts
}

const { values: options } = parseArgs({ options: { against: { type: 'string' } } })
const after = countsOf(trackedFiles())
const before = options.against && countsOf(filesOf(options.against), options.against)
const SUMS = ['by hand', 'generated', 'in all']
const rows = [...new Set([...after.keys(), ...(before?.keys() ?? [])])].filter((row) => !SUMS.includes(row))
const none = { files: 0, lines: 0 }
const signed = (value) => (value > 0 ? `+${value}` : String(value))
const cells = (row) =>
  ['files', 'lines'].flatMap((kind) => {
    const now = (after.get(row) ?? none)[kind]
    if (before === undefined) return [String(now)]
    const then = (before.get(row) ?? none)[kind]
    return [String(then), String(now), signed(now - then)]
  })
const print = (title, values) =>
  console.log(title.padEnd(26) + values.map((value) => value.padStart(10)).join(''))

print('', before ? ['files', 'after', '+/-', 'lines', 'after', '+/-'] : ['files', 'lines'])
for (const row of rows.toSorted((a, b) => (a < b ? -1 : 1))) print(row, cells(row))
console.log()
for (const row of SUMS) print(row, cells(row))
