import { memoryStorage } from '@taskboard/memory'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Storage } from '../storage/index.js'
import { createTaskboard } from '../wiring/taskboard.js'
import type { SecretBoxOptions } from './secret-box.js'

type Keys = SecretBoxOptions['encryptionKey']

const hex = (name: string): string => Buffer.from(name.padEnd(32, '.')).toString('hex')
const listed = (...names: string[]) => names.map((id) => ({ id, key: hex(id) }))

/** Seals all secrets with the first key. */
async function reseal(storage: Storage, encryptionKey: Keys): Promise<void> {
  const taskboard = createTaskboard({ storage, logger: false, secrets: { encryptionKey } })
  try {
    await taskboard.resealSecrets()
  } finally {
    await taskboard.close({ drainTimeoutMs: 0 })
  }
}

/** A process with these keys starts, and ends. */
async function start(storage: Storage, encryptionKey: Keys | undefined): Promise<void> {
  const secrets = encryptionKey === undefined ? undefined : { encryptionKey }
  const taskboard = createTaskboard({ storage, logger: false, secrets })
  try {
    await taskboard.start()
  } finally {
    await taskboard.close({ drainTimeoutMs: 0 })
  }
}

const refusal = (id: string) =>
  expect.objectContaining({
    code: 'INVALID_CONFIG',
    field: 'secrets.encryptionKey',
    message: expect.stringContaining(`(its id is ${id})`) as string,
  }) as Error

describe('start()', () => {
  it('refuses a key that is not the one of the stored secrets, again and again', async () => {
    const storage = memoryStorage()
    await start(storage, listed('a'))
    for (const keys of [listed('b'), hex('b'), hex('a')])
      await expect(start(storage, keys)).rejects.toThrow(refusal('a'))
    await start(storage, listed('a'))
  })

  it('closes the storage that it refuses, and the board can be closed', async () => {
    const storage = memoryStorage()
    await start(storage, hex('a'))
    let opened = 0
    const counted: Storage = {
      ...(storage as Storage),
      open: async () => void (opened += 1),
      close: async () => void (opened -= 1),
    }
    const taskboard = createTaskboard({
      storage: counted,
      logger: false,
      secrets: { encryptionKey: hex('b') },
    })
    await expect(taskboard.start()).rejects.toMatchObject({ field: 'secrets.encryptionKey' })
    expect(opened).toBe(0)
    await taskboard.close()
  })

  it('follows a rotation to its end, which is the reseal, and refuses what came before', async () => {
    const storage = memoryStorage()
    await start(storage, listed('old'))
    await start(storage, listed('old', 'new'))
    await start(storage, listed('new', 'old'))
    // The secrets are those of the old key still.
    await expect(start(storage, listed('new'))).rejects.toThrow(refusal('old'))
    await start(storage, listed('old'))
    await reseal(storage, listed('new', 'old'))
    await start(storage, listed('new'))
    await expect(start(storage, listed('old'))).rejects.toThrow(refusal('new'))
    // What a backup of the time before brings back.
    const restored = memoryStorage()
    await start(restored, listed('old'))
    await expect(start(restored, listed('new'))).rejects.toThrow(refusal('old'))
    await expect(reseal(restored, listed('new'))).rejects.toThrow(refusal('old'))
    await reseal(restored, listed('new', 'old'))
    await start(restored, listed('new'))
  })

  it('lets one of two processes with different keys start', async () => {
    const storage = memoryStorage()
    const ends = await Promise.allSettled([start(storage, listed('a')), start(storage, listed('b'))])
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('refuses the second of two rotations away from one key at the same time', async () => {
    const storage = memoryStorage()
    await start(storage, listed('old'))
    const rotations = [listed('one', 'old'), listed('two', 'old')].map((keys) => reseal(storage, keys))
    const ends = await Promise.allSettled(rotations)
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('checks nothing without a key of the host: the secrets end with the process', async () => {
    const storage = memoryStorage()
    for (const keys of [undefined, undefined, listed('a'), undefined]) {
      await expect(start(storage, keys)).resolves.toBeUndefined()
    }
  })

  it('succeeds exactly with the key of the first start, or of the last reseal', async () => {
    const names = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c'), { minLength: 1 })
    const step = fc.record({ run: fc.constantFrom(start, reseal), keys: names })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const storage = memoryStorage()
        let sealing: string | null = null
        for (const { run, keys } of steps) {
          const isGood: boolean = sealing === null || keys.includes(sealing)
          const outcome = await run(storage, listed(...keys)).then(
            () => true,
            () => false,
          )
          expect(outcome).toBe(isGood)
          if (isGood && (sealing === null || run === reseal)) sealing = keys[0] ?? null
        }
      }),
    )
  })
})
