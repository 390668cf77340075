// Where the build puts what the example servers start from.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

export const SERVERS = ['express-server', 'fastify-server']
const examples = join(root, 'examples')
/** The compiled program of an example server. */
export const programOf = (server) => join(examples, server, 'dist/main.js')
/** The database of a new board, which a server copies instead of creating one. */
export const emptyBoard = join(examples, 'demo/dist/empty-board')

/** Whether the output is newer than the examples and the schema. */
export function isDemoFresh() {
  const outputs = [...SERVERS.map(programOf), emptyBoard]
  if (!outputs.every((path) => existsSync(path))) return false
  const sources = [...SERVERS, 'demo'].map((name) => join(examples, name, 'src'))
  const newest = Math.max(
    ...sources.map(newestMs),
    statSync(join(root, 'packages/postgres/dist/index.js')).mtimeMs,
    statSync(join(root, 'package-lock.json')).mtimeMs,
  )
  return newest < Math.min(...outputs.map((path) => statSync(path).mtimeMs))
}

function newestMs(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Math.max(...files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs))
}
