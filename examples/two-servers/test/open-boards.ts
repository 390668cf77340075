import { createTaskboard, type AgentDefinition } from '@taskboard/core'
import { postgresStorage } from '@taskboard/postgres'
import pg from 'pg'
import { openDirectory } from '../src/directory.js'

/** The addresses of the databases. */
export interface Addresses {
  readonly directory: string
  readonly one: string
  readonly two: string
}

const poolOf = (connectionString: string): pg.Pool =>
  new pg.Pool({ connectionString }).on('error', () => undefined)

/** Both boards and the directory, as each process of the host opens them. */
export async function openBoards(urls: Addresses, agents: readonly AgentDefinition[] = []) {
  const own = poolOf(urls.directory)
  const directory = { ...(await openDirectory(own)), close: () => own.end() }
  const boards = (['one', 'two'] as const).map((name) => {
    const pool = poolOf(urls[name])
    const taskboard = createTaskboard({
      storage: postgresStorage({ pool }),
      agents,
      logger: false,
      secrets: { encryptionKey: Buffer.alloc(32, 1) },
      tokens: { secret: 'of both boards, in all processes' },
      onCredential: directory.noteOn(name),
      webhooks: { allow: ['127.0.0.0/8'] },
    })
    return { name, pool, taskboard }
  })
  return { directory, boards }
}
