import { hkdfSync, randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const KEY_BYTES = 32

/** The file that keeps the key of a data directory. */
export function keyFileOf(directory: string): string {
  return join(directory, 'encryption-key')
}

/**
 * The key that encrypts webhook secrets: the text of the directory's key file. The first call creates both, readable only by the
 * owner. Processes that create it at the same time all get the same key.
 */
export async function keepEncryptionKey(directory: string): Promise<string> {
  const path = keyFileOf(directory)
  const kept = await readKey(path)
  if (kept !== null) return kept
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const draft = `${path}-${randomBytes(8).toString('hex')}`
  try {
    await writeFile(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600 })
    // A link appears atomically, and never replaces another process's key.
    await link(draft, path).catch(unlessCode('EEXIST'))
  } finally {
    await rm(draft, { force: true })
  }
  return (await readFile(path, 'utf8')).trim()
}

/** The key that signs access tokens. It is derived from the encryption key, so that there is one secret to keep. */
export function tokenSecretOf(encryptionKey: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', encryptionKey, '', 'taskboard demo access tokens', KEY_BYTES))
}

async function readKey(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(unlessCode('ENOENT'))
  return text?.trim() ?? null
}

function unlessCode(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error
    return undefined
  }
}
