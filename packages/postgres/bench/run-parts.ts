import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startEmbeddedServer } from '@taskboard/kit/postgres/embedded-server'
import { debianServerWithJit, startDebianServer } from '../test/other-servers/debian-server.js'
import { median } from './measure.js'
import type { JudgedFigure } from './report.js'

/**
 * Starts a server that is as durable as in production and runs the parts on it one after the other, each in a separate process
 * that receives the server's URL. Then sums up which figures met their targets. Removes the server and its data at the end,
 * also after a fault or an interrupt. With `--debian`, the server is the PostgreSQL with JIT that Debian or Ubuntu has installed.
 */
const SERVER_FLAGS = [
  'fsync=on',
  'synchronous_commit=on',
  'full_page_writes=on',
  'shared_buffers=512MB',
  'max_wal_size=4GB',
  'max_connections=200',
]
const COMMITS = 300

const folder = dirname(fileURLToPath(import.meta.url))
const DEBIAN = '--debian'
const isOnDebian = process.argv.includes(DEBIAN)
const filters = process.argv.slice(2).filter((argument) => argument !== DEBIAN)
const ORDER = [
  'claim',
  'order',
  'cycle',
  'workspaces',
  'enqueue',
  'access',
  'limits',
  'tier-limits',
  'webhooks',
  'webhook-tenants',
  'add-over-http',
  'pglite',
  'api',
  'analytics',
]
const parts = readdirSync(folder)
  .flatMap((file) => /^(.+)\.part\.js$/.exec(file)?.[1] ?? [])
  .filter((name) => filters.length === 0 || filters.some((filter) => name.includes(filter)))
  .toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))

/** The median commit of one row by one client in milliseconds: the base of all ratios. */
async function commitMs(url: string): Promise<{ readonly p50: number; readonly version: string }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('create table commit_probe (at timestamptz)')
  const took: number[] = []
  for (let index = 0; index < COMMITS; index++) {
    const startedAt = performance.now()
    await client.query({ name: 'probe', text: 'insert into commit_probe values (now())' })
    took.push(performance.now() - startedAt)
  }
  const { rows } = await client.query<{ server_version: string }>('show server_version')
  await client.query('drop table commit_probe')
  await client.end()
  return { p50: median(took), version: rows[0]?.server_version ?? '' }
}

async function runPart(
  name: string,
  url: string,
  onStart: (child: ChildProcess) => void,
): Promise<JudgedFigure[]> {
  console.log(`\n== ${name}`)
  const figures: JudgedFigure[] = []
  const startedAt = performance.now()
  const child = fork(join(folder, `${name}.part.js`), [], {
    execArgv: ['--expose-gc'],
    env: { ...process.env, BENCH_SERVER_URL: url },
  })
  onStart(child)
  child.on('message', (figure) => figures.push(figure as JudgedFigure))
  const [code] = (await once(child, 'exit')) as [number | null]
  console.log(`   took ${Math.round((performance.now() - startedAt) / 1_000)} s`)
  if (code !== 0) {
    process.exitCode = 1
    figures.push({ what: `${name} did not finish`, value: '', target: '', isMet: false })
  }
  return figures
}

function sumUp(all: readonly JudgedFigure[]): void {
  const judged = all.filter(({ isMet }) => isMet !== null)
  console.log(`\n== ${judged.filter(({ isMet }) => isMet).length} of ${judged.length} targets met`)
  for (const { what, value, target, isMet } of judged) {
    console.log(
      `  ${isMet === true ? 'met   ' : 'missed'} ${what.padEnd(72)} ${value.padStart(9)}  ${target}`,
    )
  }
}

if (parts.length === 0) throw new Error(`no part matches ${filters.join(', ')}`)
let isOver = false
let current: ChildProcess | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isOver = true
    process.exitCode = 130
    current?.kill('SIGTERM')
  })
}

function startServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  if (!isOnDebian) return startEmbeddedServer(SERVER_FLAGS)
  const programs = debianServerWithJit()
  if (programs === null) throw new Error('no PostgreSQL of Debian with llvmjit is installed')
  return startDebianServer(programs, SERVER_FLAGS)
}

const server = await startServer()
try {
  const { p50, version } = await commitMs(server.url)
  console.log(`PostgreSQL ${version}, Node ${process.version}; ${SERVER_FLAGS.join(', ')}`)
  console.log(`a commit of one row by one client: p50 ${p50.toFixed(2)} ms`)
  const figures: JudgedFigure[] = []
  for (const name of parts) {
    if (isOver) break
    figures.push(...(await runPart(name, server.url, (child) => (current = child))))
  }
  sumUp(figures)
} finally {
  await server.stop()
}
