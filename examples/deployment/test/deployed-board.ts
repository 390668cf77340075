import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { freePort } from '@taskboard/kit/postgres/embedded-server'
import { until } from '@taskboard/kit/processes/until'
import { ordinaryUser, type Program, programNamed, startProgram } from './programs.js'

const fileOf = (name: string): Promise<string> => readFile(new URL(`../${name}`, import.meta.url), 'utf8')

export const pgbouncer = programNamed('pgbouncer')

/** A database with the roles of `roles.sql`, under names that nobody else has: the server may be a developer's own. */
export async function createDeployedDatabase(serverUrl: string) {
  const name = `board_${randomBytes(6).toString('hex')}`
  const rename = (text: string): string =>
    text.replaceAll(/\bboard_owner\b/g, `${name}_owner`).replaceAll(/\bboard\b/g, name)
  const urlFor = (role: string, password: string, database = name): string => {
    const url = new URL(serverUrl)
    return Object.assign(url, { username: role, password, pathname: `/${database}` }).href
  }
  const [onServer = '', inDatabase = ''] = rename(await fileOf('roles.sql')).split(`\\connect ${name}\n`)
  await runEach(serverUrl, onServer)
  const server = new URL(serverUrl)
  await runEach(urlFor(server.username, server.password), inDatabase)
  return {
    name,
    rename,
    ownerUrl: urlFor(`${name}_owner`, 'change_me_owner'),
    boardUrl: urlFor(name, 'change_me_board'),
    drop: () =>
      runEach(serverUrl, `drop database ${name} with (force); drop role ${name}; drop role ${name}_owner`),
  }
}

export type DeployedDatabase = Awaited<ReturnType<typeof createDeployedDatabase>>

/** Runs statements one by one, as `psql -f` does: a database is not created within a transaction. */
async function runEach(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const statements = sql.replaceAll(/^--.*$/gm, '').split(';')
    for (const each of statements) if (each.trim() !== '') await client.query(each)
  } finally {
    await client.end()
  }
}

/** The `pgbouncer.ini` of the page, before the server. */
export async function startPgbouncer(program: string, database: DeployedDatabase) {
  const directory = await mkdtemp(join(tmpdir(), 'taskboard-deployment-'))
  const url = new URL(database.boardUrl)
  const port = await freePort()
  const text = database
    .rename(await fileOf('pgbouncer.ini'))
    .replace('host=postgres port=5432', `host=${url.hostname} port=${url.port}`)
    .replace('listen_addr = 0.0.0.0', 'listen_addr = 127.0.0.1')
    .replace('listen_port = 6432', `listen_port = ${port}`)
    .replace('/etc/pgbouncer', directory)
  await writeFile(join(directory, 'pgbouncer.ini'), text)
  await writeFile(join(directory, 'userlist.txt'), database.rename(await fileOf('userlist.txt')))
  await chmod(directory, 0o755)
  const running = startProgram(program, ['-q', join(directory, 'pgbouncer.ini')], await ordinaryUser())
  url.port = String(port)
  return {
    url: url.href,
    async stop() {
      await running.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export interface BoardProcess {
  readonly port: number
  readonly stop: Program['stop']
}

/** Starts a program of this folder as it was compiled, and resolves when `/readyz` says so. */
export async function startBoardProcess(
  programs: string,
  settings: Readonly<Record<string, string>>,
): Promise<BoardProcess> {
  const port = await freePort()
  const env = { ...settings, PORT: String(port), PATH: process.env['PATH'] ?? '' }
  const main = fileURLToPath(new URL('main.js', programs))
  const running = startProgram(process.execPath, [main], { env })
  await until(
    () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status, running.errors),
    (seen) => seen === 200,
  )
  return { port, stop: () => running.stop() }
}
