import { type FileHandle, open } from 'node:fs/promises'
import { CliError } from '../cli-error.js'
import { requirePrivate } from '../private-file.js'

/** Where an export continues. */
export interface Kept {
  readonly first: string
  readonly last: string
  /** How many rows the file has. */
  readonly rows: number
}

const BLOCK = 1_048_576
const LINE_FEED = 10

const BEGINNING = '{"taskboard_export":'

const exposed = (path: string): string =>
  `${path} would contain password and key hashes, but other users can read it: run \`chmod 600 ${path}\`, or name another file`

/**
 * The lines of an export, whose last one may be cut: it is removed. Null for a file without a whole line.
 * @throws CliError for another file, and for one that others can read.
 */
export async function keepWholeLines(path: string): Promise<Kept | null> {
  const read = await readWholeLines(path)
  if (read !== null && !read.first.startsWith(BEGINNING))
    throw new CliError('usage', `${path} is not an export`)
  const file = await open(path, 'r+')
  try {
    await requirePrivate(file, exposed(path))
    await file.truncate(read?.end ?? 0)
  } finally {
    await file.close()
  }
  return read
}

async function readWholeLines(path: string): Promise<(Kept & { readonly end: number }) | null> {
  const file = await open(path, 'r')
  let first: string | null = null
  let lines = 0
  let end = 0
  let position = 0
  let beginsAt = 0
  try {
    const block = Buffer.alloc(BLOCK)
    for (;;) {
      const { bytesRead } = await file.read(block, 0, BLOCK, position)
      if (bytesRead === 0) break
      for (
        let at = block.indexOf(LINE_FEED);
        at >= 0 && at < bytesRead;
        at = block.indexOf(LINE_FEED, at + 1)
      ) {
        lines += 1
        if (lines > 1) beginsAt = end
        end = position + at + 1
        if (first === null) first = await textBetween(file, 0, end - 1)
      }
      position += bytesRead
    }
    if (first === null) {
      const start = await textBetween(file, 0, Math.min(position, BEGINNING.length))
      if (!BEGINNING.startsWith(start)) throw new CliError('usage', `${path} is not an export`)
      return null
    }
    const last = lines === 1 ? first : await textBetween(file, beginsAt, end - 1)
    return { first, last, rows: lines - 1, end }
  } finally {
    await file.close()
  }
}

async function textBetween(file: FileHandle, from: number, to: number): Promise<string> {
  const bytes = Buffer.alloc(to - from)
  await file.read(bytes, 0, bytes.length, from)
  return bytes.toString()
}

/** Opens a new file for its owner only, or an old one to add to it, which must be its owner's only. */
export async function openExport(path: string, isResumed: boolean): Promise<FileHandle> {
  try {
    const file = await open(path, isResumed ? 'a' : 'wx', 0o600)
    try {
      await requirePrivate(file, exposed(path))
      return file
    } catch (error) {
      await file.close()
      throw error
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new CliError('conflict', `${path} already exists: continue it with --resume, or name another file`)
  }
}
