import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPglite } from './pglite-directory.js'

const WRITER = new URL('../test/processes/pglite-writer.ts', import.meta.url)
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

/** Starts a process that writes rows, and resolves when it has acknowledged a few. */
async function startWriter() {
  const args = ['--import', 'tsx', '--conditions', '@taskboard/source', WRITER.pathname, directory]
  const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  child = writer
  let output = ''
  writer.stdout.setEncoding('utf8')
  await new Promise<void>((resolve, reject) => {
    writer.once('exit', () => reject(new Error('the writer ended')))
    writer.stdout.on('data', (text: string) => {
      output += text
      if (output.includes('20\n')) resolve()
    })
  })
  /** The last row that was acknowledged in full. */
  return { writer, last: () => Number(output.split('\n').at(-2)) }
}

describe('openPglite', () => {
  it('makes the directory, keeps what is written, and lets go when it is closed', async () => {
    const first = await openPglite(directory)
    await first.pool.query({ text: 'create table note as select 7 as n', values: [] })
    await first.close()
    await first.close()
    const second = await openPglite(directory)
    expect((await second.pool.query({ text: 'select n from note', values: [] })).rows).toEqual([{ n: 7 }])
    await second.close()
    expect((await readdir(directory)).sort()).toEqual(['data', 'lock.2'])
  })

  it('refuses a directory that this process has open, and goes on with it', async () => {
    const first = await openPglite(directory)
    await expect(openPglite(directory)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(`${directory} is in use by the process ${process.pid}`),
    })
    expect((await first.pool.query({ text: 'select 1 as n', values: [] })).rows).toEqual([{ n: 1 }])
    await first.close()
  })

  it('refuses a directory of another process, and has every acknowledged row after its kill -9', async () => {
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
})
