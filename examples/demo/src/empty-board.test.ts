import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyEmptyBoard } from './demo-storage.js'

let folder: string
let board: string
let source: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskboard-empty-'))
  board = join(folder, 'board')
  source = join(folder, 'source')
  await mkdir(join(source, 'base'), { recursive: true })
  await writeFile(join(source, 'base/1'), 'made by the build')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('the database of a new board', () => {
  it('is a copy of the one that the build made', async () => {
    await copyEmptyBoard(board, source)
    expect(await readdir(board)).toEqual(['data'])
    expect(await readFile(join(board, 'data/base/1'), 'utf8')).toBe('made by the build')
  })

  it('does not replace one that exists', async () => {
    await mkdir(join(board, 'data'), { recursive: true })
    await writeFile(join(board, 'data/mine'), 'kept')
    await copyEmptyBoard(board, source)
    expect(await readdir(join(board, 'data'))).toEqual(['mine'])
  })

  it('is the same when several processes begin at once', async () => {
    await Promise.all([1, 2, 3].map(() => copyEmptyBoard(board, source)))
    expect(await readdir(board)).toEqual(['data'])
    expect(await readdir(join(board, 'data/base'))).toEqual(['1'])
  })

  it('is left to PGlite without a build', async () => {
    await copyEmptyBoard(board, join(folder, 'none'))
    await expect(readdir(board)).rejects.toThrow('ENOENT')
  })
})
