import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The tests of a case of a suite, by its id. */
const suites = {
  storage: (id) => ({ test: 'memory/memory-storage', title: `${id}: ` }),
  'pg-storage': (id) => ({ test: 'postgres/storage-on-pg', title: `${id}: ` }),
  api: (id) => ({ test: 'express/api-v2', title: `'${id}'` }),
}

const filesIn = new Map()
/** The file of a package whose path ends so. @throws Error unless it is one. */
function fileOf(path) {
  const [name] = path.split('/', 1)
  if (!filesIn.has(name)) {
    const folder = join(root, 'packages', name)
    const found = readdirSync(folder, { recursive: true }).filter((file) => /^(schema|src|test)\//.test(file))
    filesIn.set(name, found)
  }
  const end = path.slice(name.length)
  const matching = filesIn.get(name).filter((file) => `/${file}`.endsWith(end))
  if (matching.length !== 1) throw new Error(`${path} is ${matching.length} files`)
  return `packages/${name}/${matching[0]}`
}

function testOf(text) {
  const [name, title] = split(text, ': ')
  const { test, title: full } = suites[name]?.(title) ?? { test: name, title }
  return { project: test.split('/', 1)[0], path: `${test}.test.ts`, title: full }
}

/** What is before the first separator and behind it. */
function split(text, separator) {
  const at = text.indexOf(separator)
  if (at < 0) throw new Error(`“${text}” has no “${separator}”`)
  return [text.slice(0, at), text.slice(at + separator.length)]
}

function parse(head, body) {
  const [name, promise] = split(head, ': ')
  const [planted, ...behind] = body.split(' | ')
  const [place, change] = split(planted, ': ')
  const [path, within] = split(place, ' ')
  const caughtBy = behind.filter((each) => each !== 'hangs').map(testOf)
  return { name, promise, path, within, change, caughtBy, hangs: behind.includes('hangs') }
}

/** The mutants of mutants.txt, which says what its lines are. */
export const mutants = [
  ...readFileSync(new URL('mutants.txt', import.meta.url), 'utf8').matchAll(/^(.+)\n {2}(.+)$/gm),
].map(([, head, body]) => parse(head, body))

/** A mutant with its file, and the files of its tests. @throws Error for one that is gone. */
export function located({ path, caughtBy, ...mutant }) {
  const tests = caughtBy.map(({ path: test, ...each }) => ({ ...each, file: fileOf(test) }))
  return { ...mutant, file: fileOf(path), caughtBy: tests }
}
