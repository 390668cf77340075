import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from '@taskboard/kit/postgres/embedded-server'
import { ordinaryUser, untilConnected } from './debian-server.js'

/** The program that `PGBOUNCER` names, or one that is installed; Debian puts it where only root looks. */
export function pgbouncerProgram(): string | null {
  const given = process.env['PGBOUNCER']
  if (given !== undefined && given !== '') return given
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path)) ?? null
}

/** The first two numbers of the program's version: 118 for 1.18. */
export function pgbouncerVersion(program: string): number {
  const [, major = '0', minor = '0'] =
    /(\d+)\.(\d+)/.exec(execFileSync(program, ['--version']).toString()) ?? []
  return Number(major) * 100 + Number(minor)
}

/** PgBouncer before the server of `databaseUrl`, with the same database, user and password. */
export async function startPgbouncer(
  program: string,
  databaseUrl: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const url = new URL(databaseUrl)
  const directory = await mkdtemp(join(tmpdir(), 'taskboard-pgbouncer-'))
  const port = await freePort()
  const target = { host: url.hostname, port: url.port, user: url.username, password: url.password }
  const own = { listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', auth_type: 'any' }
  const file = join(directory, 'pgbouncer.ini')
  await writeFile(
    file,
    [
      '[databases]',
      `* = ${linesOf(target).join(' ')}`,
      '[pgbouncer]',
      ...linesOf({ ...own, ...settings }),
    ].join('\n'),
  )
  await chmod(directory, 0o755)
  const pooler = spawn(program, ['-q', file], { ...(await ordinaryUser()), stdio: 'ignore' })
  url.port = String(port)
  url.hostname = '127.0.0.1'
  await untilConnected(url.href)
  return {
    url: url.href,
    async stop() {
      pooler.kill('SIGTERM')
      await once(pooler, 'exit')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const linesOf = (settings: object): readonly string[] =>
  Object.entries(settings).map(([name, value]) => `${name}=${String(value)}`)
