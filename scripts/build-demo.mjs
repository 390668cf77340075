// Compiles the example servers, and makes the database of a new board for them: `npm start` then loads no compiler and makes no database.
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build } from 'tsup'
import { emptyBoard, programOf, SERVERS } from './demo-output.mjs'
import { root } from './run.mjs'

export async function buildDemo() {
  await Promise.all([makeEmptyBoard(), ...SERVERS.map(compile)])
}

async function compile(server) {
  await build({
    config: false,
    entry: [join(root, 'examples', server, 'src/main.ts')],
    outDir: dirname(programOf(server)),
    format: 'esm',
    target: 'node20.19',
    silent: true,
    splitting: true,
    skipNodeModulesBundle: true,
    noExternal: ['@taskboard/example-demo'],
  })
}

async function makeEmptyBoard() {
  const { migrate, openPglite } = await import('../packages/postgres/dist/index.js')
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
