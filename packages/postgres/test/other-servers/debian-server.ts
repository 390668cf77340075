import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '@taskboard/kit/postgres/embedded-server'

const PACKAGES = '/usr/lib/postgresql'

/** The programs of a PostgreSQL with a compiler that Debian or Ubuntu has installed, the newest; null without one. */
export function debianServerWithJit(): string | null {
  if (!existsSync(PACKAGES)) return null
  const versions = readdirSync(PACKAGES)
    .filter((version) => existsSync(join(PACKAGES, version, 'bin/postgres')))
    .filter((version) => existsSync(join(PACKAGES, version, 'lib/llvmjit.so')))
    .toSorted((a, b) => Number(b) - Number(a))
  return versions[0] === undefined ? null : join(PACKAGES, versions[0], 'bin')
}

async function idOf(flag: string): Promise<number> {
  const { stdout } = await promisify(execFile)('id', [flag, 'postgres'])
  return Number(stdout)
}

/** A user for programs that refuse to run as root. */
export async function ordinaryUser(): Promise<{ readonly uid: number; readonly gid: number } | null> {
  if (userInfo().uid !== 0) return null
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

/**
 * A server of these programs with the settings that it has by default but for those given, and its data in the system's temporary directory.
 * Its files survive no power loss by default, which the settings may change.
 */
export async function startDebianServer(
  programs: string,
  given: readonly string[] = ['fsync=off'],
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'taskboard-debian-'))
  const user = await ordinaryUser()
  if (user !== null) await chown(directory, user.uid, user.gid)
  const as = { cwd: directory, ...user }
  const flags = ['-D', join(directory, 'data'), '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8']
  await promisify(execFile)(join(programs, 'initdb'), [...flags, '--locale=C'], as)
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`, ...given]
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', join(directory, 'data'), ...settings.flatMap((each) => ['-c', each])],
    { ...as, stdio: 'ignore' },
  )
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await untilConnected(url)
  return {
    url,
    async stop() {
      server.kill('SIGINT')
      await once(server, 'exit')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Resolves when a server accepts connections. @throws after ten seconds. */
export async function untilConnected(url: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (tries === 200) throw error
      await setTimeout(50)
    }
  }
}
