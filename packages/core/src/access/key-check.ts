import { isTaskboardError, TaskboardError } from '../errors/index.js'
import type { SecretBox } from './secret-box.js'

/** A text for `Storage.keepKeyCheck`. */
export interface KeyCheck {
  readonly sealed: string
  /** What is kept so far: null for nothing. */
  readonly replaces: string | null
}

const CONTEXT = 'key check'
const PLAIN = 'taskboard'

/**
 * Checks that the box has a key of the stored secrets. `keep` stores a sealed text once for all processes, and this opens it.
 * @throws TaskboardError `INVALID_CONFIG` (`secrets.encryptionKey`) when no key of the box opens it.
 */
export async function checkEncryptionKey(
  box: SecretBox,
  keep: (check: KeyCheck) => Promise<string>,
): Promise<void> {
  requireOpened(box, await keep(checkOf(box, null)))
}

/**
 * Seals the text again with the key that seals now, after which the board starts without the keys before. Call it when no secret is sealed
 * with one of those any more.
 * @throws TaskboardError as `checkEncryptionKey`.
 */
export async function moveKeyCheck(
  box: SecretBox,
  keep: (check: KeyCheck) => Promise<string>,
): Promise<void> {
  const kept = await keep(checkOf(box, null))
  // Another process may have replaced it meanwhile, with a key that this one lacks.
  if (!box.isSealedByFirst(kept)) requireOpened(box, await keep(checkOf(box, kept)))
}

const checkOf = (box: SecretBox, replaces: string | null): KeyCheck => ({
  sealed: box.seal(PLAIN, CONTEXT),
  replaces,
})

function requireOpened(box: SecretBox, sealed: string): void {
  try {
    if (box.open(sealed, CONTEXT) === PLAIN) return
  } catch (error) {
    if (!isTaskboardError(error, 'INTERNAL_ERROR')) throw error
  }
  const [, id = ''] = sealed.split('.')
  throw new TaskboardError(
    'INVALID_CONFIG',
    `secrets.encryptionKey is not the key of the stored secrets (its id is ${id}): pass that key, or list it after the new one`,
    { field: 'secrets.encryptionKey' },
  )
}
