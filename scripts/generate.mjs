// `npm run generate`: makes what follows from the operations of API v2 and is not in git: the types and methods of the client, the
// tables of the Python client and the GraphQL schema. What is up to date is not made again, and then nothing is compiled.
// `npm run generate:docs` writes the generated parts of pages, which are in git: methods of the clients, figures of benchmarks.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { root } from './run.mjs'

const FOLDER = 'taskboard-generate'
const cache = join(root, 'node_modules/.cache', FOLDER)
/** What was made, and from what: the states of files by their paths in the repository. */
const record = join(cache, 'made.json')

/**
 * Makes the files, unless they are those of the sources as they are, or with `onlyMissing` unless they are there. Resolves with the paths
 * of those that were written.
 */
export async function generate({ onlyMissing = false } = {}) {
  const { made = [], states = {} } = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : {}
  const isFresh = onlyMissing
    ? made.every((path) => stateOf(path) !== null)
    : Object.entries(states).every(([path, state]) => stateOf(path) === state)
  if (made.length > 0 && isFresh) return []
  const { generatedFiles } = await compiled()
  const files = await generatedFiles()
  const written = writeAll(files)
  const { inputs } = JSON.parse(readFileSync(join(cache, 'metafile-esm.json'), 'utf8'))
  const known = [...Object.keys(inputs), ...Object.keys(files), 'package-lock.json']
  const next = {
    made: Object.keys(files),
    states: Object.fromEntries(known.map((path) => [path, stateOf(path)])),
  }
  write(record, JSON.stringify(next))
  return written
}

async function generateDocs() {
  const { withGeneratedParts } = await compiled()
  return writeAll(await withGeneratedParts((path) => readFile(join(root, path), 'utf8')))
}

async function compiled() {
  const { compilePrograms } = await import('./compile-programs.mjs')
  const outDir = await compilePrograms({ files: 'scripts/generate/files.ts' }, FOLDER)
  return import(pathToFileURL(join(outDir, 'files.js')).href)
}

/** Differs after each change; null for no file. */
function stateOf(path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false })
  return found === undefined ? null : `${found.size} ${found.mtimeMs}`
}

function writeAll(files) {
  return Object.entries(files).flatMap(([path, text]) => (write(join(root, path), text) ? [path] : []))
}

/** Leaves a file with that text as it is, so that nothing which is made from it has to be made again. */
function write(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return false
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return true
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const made = process.argv.includes('--docs') ? await generateDocs() : await generate()
  for (const path of made) console.log(`made ${path}`)
}
