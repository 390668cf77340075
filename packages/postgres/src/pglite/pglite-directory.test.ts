import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { fillPgliteDirectory } from '@taskboard/kit/postgres/migrated-pglite'
import { openPglite } from './pglite-directory.js'

let root: string
let directory: string
let child: ChildProcess | undefined

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'taskboard-pglite-'))
  directory = join(root, 'deep', 'down')
})
afterEach(async () => {
  child?.kill('SIGKILL')
  child = undefined
  await rm(root, { recursive: true, force: true })
})

/**
 * Starts a process that writes rows, and resolves when it has acknowledged a few. A `shell` script starts the command that it
 * gets as its arguments.
 */
async function startWriter(shell?: string, ...nodeOptions: readonly string[]) {
  const args = [...nodeOptions, fileURLToPath(new URL('pglite-writer.js', inject('programs'))), directory]
  const [file, ...its] = [...(shell ? ['sh', '-c', shell, 'sh'] : []), process.execPath, ...args]
  const writer = spawn(file ?? '', its, { stdio: ['ignore', 'pipe', 'inherit'] })
  child = writer
  let output = ''
  writer.stdout.setEncoding('utf8')
  await new Promise<void>((resolve, reject) => {
    writer.once('exit', () => reject(new Error('the writer ended')))
    writer.stdout.on('data', (text: string) => {
      output += text
      // A process id may end with the same digits.
      if (/^20\n/m.test(output)) resolve()
    })
  })
  /** The last row that was acknowledged in full. */
  return { writer, first: () => output.split('\n')[0], last: () => Number(output.split('\n').at(-2)) }
}

/** Creating a database takes long on a busy machine. */
const PATIENCE_MS = 60_000

describe('openPglite', { timeout: PATIENCE_MS }, () => {
  it('creates the directory, keeps the writes, and releases it when it is closed', async () => {
    const first = await openPglite(directory)
    await first.pool.query({ text: 'create table note as select 7 as n', values: [] })
    await first.close()
    await first.close()
    const second = await openPglite(directory)
    expect((await second.pool.query({ text: 'select n from note', values: [] })).rows).toEqual([{ n: 7 }])
    await second.close()
    expect((await readdir(directory)).sort()).toEqual(['data', 'lock.2'])
  })

  it('refuses a directory that this process has open, and keeps that one working', async () => {
    await fillPgliteDirectory(directory)
    const first = await openPglite(directory)
    await expect(openPglite(directory)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(`${directory} is in use by the process ${process.pid}`),
    })
    expect((await first.pool.query({ text: 'select 1 as n', values: [] })).rows).toEqual([{ n: 1 }])
    await first.close()
  })

  it('refuses a directory of another process, and has every acknowledged row after its kill -9', async () => {
    await fillPgliteDirectory(directory)
    const { writer, last } = await startWriter()
    await expect(openPglite(directory)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(`in use by the process ${writer.pid}`),
    })
    const ended = once(writer, 'close')
    writer.kill('SIGKILL')
    await ended
    const { pool, close } = await openPglite(directory)
    const { rows } = await pool.query({
      text: 'select count(*)::integer as rows, max(n) as last from row',
      values: [],
    })
    const [found] = rows as { rows: number; last: number }[]
    expect(found?.last).toBeGreaterThanOrEqual(last())
    expect(found?.rows).toBe((found?.last ?? 0) + 1)
    await close()
  })

  it.runIf(process.platform === 'linux')(
    'opens the directory of a zombie, which its parent does not reap',
    async () => {
      await fillPgliteDirectory(directory)
      // The parent becomes a process that never reads the exit status of its child.
      const { first, last } = await startWriter('"$@" & echo "pid $!"; exec sleep 600')
      const pid = Number(first()?.slice('pid '.length))
      await expect(openPglite(directory)).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
      process.kill(pid, 'SIGKILL')
      // Fields 3 and 20 of proc(5): the state, and the threads, which end one by one.
      const state = async () => {
        const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')
        return [fields?.[0], Number(fields?.[17])]
      }
      await expect.poll(state, { timeout: 10_000 }).toEqual(['Z', 1])
      const { pool, close } = await openPglite(directory)
      const { rows } = await pool.query({ text: 'select max(n) as last from row', values: [] })
      expect((rows as { last: number }[])[0]?.last).toBeGreaterThanOrEqual(last())
      expect(await state()).toEqual(['Z', 1])
      await close()
    },
  )

  it.runIf(process.platform === 'linux')(
    'takes less than half a gigabyte, even when it creates the database',
    async () => {
      // Excludes the memory that V8 takes for a moment to optimize the WebAssembly: half a gigabyte in Node.js 24.
      const { writer } = await startWriter(undefined, '--liftoff-only')
      const status = await readFile(`/proc/${writer.pid}/status`, 'utf8')
      expect(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1])).toBeLessThan(500_000)
    },
  )

  it('deletes the files of a process that ended while it created the database', async () => {
    const left = join(directory, 'data-draft-0123456789abcdef')
    await mkdir(left, { recursive: true })
    await writeFile(join(left, 'PG_VERSION'), '18')
    const { pool, close } = await openPglite(directory)
    expect((await pool.query({ text: 'select 1 as n', values: [] })).rows).toEqual([{ n: 1 }])
    await close()
    expect((await readdir(directory)).sort()).toEqual(['data', 'lock.1'])
  })
})
