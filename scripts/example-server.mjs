// Makes what an example server starts from: its program, compiled from the sources with those of the packages, the dashboard's
// application, and the database of a new board. Nothing that is up to date is made again, and then no compiler is loaded.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildApp, isAppFresh } from '../packages/dashboard/scripts/build-app.mjs'
import { generate } from './generate.mjs'
import { root } from './run.mjs'

const examples = join(root, 'examples')
const folderOf = (server) => join(examples, server, 'dist')
/** The database of a new board, which a server copies instead of creating one. */
const emptyBoard = join(examples, 'demo/dist/empty-board')
const programOf = (server) => join(folderOf(server), 'main.js')

/** Resolves to the program of an example server, when all that it needs is there. */
export async function prepareServer(server) {
  await generate()
  const application = isAppFresh() ? null : buildApp().then(() => console.log('built the dashboard'))
  if (!isFresh(programOf(server), server, () => true)) {
    await compile(server)
    console.log(`built ${server}`)
  }
  if (!isFresh(emptyBoard, server, (path) => path.startsWith('packages/postgres/'))) {
    await makeEmptyBoard(server)
    console.log('built the database of a new board')
  }
  await application
  return programOf(server)
}

/** Whether an output is newer than those sources of the program that go into it, and than the versions of what it loads. */
function isFresh(output, server, goesIn) {
  const record = join(folderOf(server), 'metafile-esm.json')
  if (![record, output].every((path) => existsSync(path))) return false
  const inputs = Object.keys(JSON.parse(readFileSync(record, 'utf8')).inputs).filter(goesIn)
  const sources = [...inputs, 'package-lock.json'].map((path) => join(root, path))
  if (!sources.every((path) => existsSync(path))) return false
  return Math.max(...sources.map(changedMs)) < changedMs(output)
}

const changedMs = (path) => statSync(path).mtimeMs

async function compile(server) {
  const { build } = await import('tsup')
  await build({
    config: false,
    entry: {
      main: join(examples, server, 'src/main.ts'),
      postgres: join(root, 'packages/postgres/src/index.ts'),
    },
    outDir: folderOf(server),
    format: 'esm',
    target: 'node20.19',
    silent: true,
    splitting: true,
    clean: true,
    metafile: true,
    skipNodeModulesBundle: true,
    noExternal: [/^@taskboard\//],
    loader: { '.sql': 'text' },
    esbuildOptions(options) {
      options.conditions = ['@taskboard/source']
      options.absWorkingDir = root
    },
  })
}

async function makeEmptyBoard(server) {
  const { migrate, openPglite } = await import(pathToFileURL(join(folderOf(server), 'postgres.js')).href)
  const draft = `${emptyBoard}-draft`
  for (const path of [draft, emptyBoard]) await rm(path, { recursive: true, force: true })
  await mkdir(dirname(emptyBoard), { recursive: true })
  const database = await openPglite(draft)
  try {
    await migrate(database.pool)
  } finally {
    await database.close()
  }
  await rename(join(draft, 'data'), emptyBoard)
  await rm(draft, { recursive: true, force: true })
}
