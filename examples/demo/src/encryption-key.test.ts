import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keepEncryptionKey, keyFileOf } from './encryption-key.js'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'taskboard-key-'))
})
afterEach(() => rm(root, { recursive: true }))

it('creates one key of 32 bytes for all callers, and returns it again', async () => {
  const directory = join(root, 'data')
  const keys = await Promise.all(Array.from({ length: 8 }, () => keepEncryptionKey(directory)))
  expect(new Set([...keys, await keepEncryptionKey(directory)]).size).toBe(1)
  expect(Buffer.from(keys[0] ?? '', 'base64')).toHaveLength(32)
  expect(await readdir(directory)).toEqual(['encryption-key'])
})

it('lets only the owner read it', async () => {
  await keepEncryptionKey(root)
  expect((await stat(keyFileOf(root))).mode & 0o777).toBe(0o600)
})
