import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockDirectory } from './directory-lock.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'taskboard-lock-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const leaveLock = (number: number, holder: object) =>
  writeFile(join(directory, `lock.${number}`), JSON.stringify(holder))

/** The id of a process that has ended. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid ?? -1
}

describe('lockDirectory', () => {
  it('gives the lock to one of many, and to the next one after its release', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tried = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory)))
      const held = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      expect(held).toHaveLength(1)
      await held[0]?.release()
    }
    expect(await readdir(directory)).toEqual(['lock.5'])
  })

  it('lets one of many take over the lock of a dead process', async () => {
    await leaveLock(7, { pid: await endedPid(), birth: null })
    const tried = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory)))
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('takes over a file that a crash of the machine left incomplete', async () => {
    await writeFile(join(directory, 'lock.3'), '')
    const lock = await lockDirectory(directory)
    await lock.release()
    expect(await readdir(directory)).toEqual(['lock.4'])
  })

  it.runIf(process.platform === 'linux')(
    'distinguishes a dead process from a later one with its id',
    async () => {
      await leaveLock(1, { pid: process.pid, birth: 'another boot/1' })
      const lock = await lockDirectory(directory)
      expect(await readdir(directory)).toEqual(['lock.2'])
      await lock.release()
    },
  )

  it.runIf(process.platform !== 'win32')(
    'releases a number that a later holder passed while the previous holder was checked',
    async () => {
      const slow = join(directory, 'lock.5')
      execFileSync('mkfifo', [slow])
      const late = lockDirectory(directory)
      // Opens when the other end is read: the late process saw no lock after 5.
      const looked = await open(slow, 'w')
      await leaveLock(7, { pid: process.pid, birth: null })
      await rm(slow)
      await looked.write(JSON.stringify({ pid: null, birth: null }))
      await looked.close()
      await expect(late).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
      expect(await readdir(directory)).toEqual(['lock.7'])
    },
  )

  it('treats a process that it cannot distinguish from the holder as the holder', async () => {
    await leaveLock(1, { pid: process.pid, birth: null })
    await expect(lockDirectory(directory)).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })
})
