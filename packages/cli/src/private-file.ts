import type { FileHandle } from 'node:fs/promises'
import { CliError } from './cli-error.js'

/** Rejects a file that others than its owner can use. Windows has no such modes. */
export async function requirePrivate(file: FileHandle, refusal: string): Promise<void> {
  const { mode } = await file.stat()
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) throw new CliError('usage', refusal)
}
