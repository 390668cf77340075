import {
  checkEncryptionKey,
  mfaContext,
  moveKeyCheck,
  sealedKinds,
  type KeyCheck,
  type SealedKind,
  type SealedReplacement,
  type SealedRow,
  type SecretBox,
} from '../access/index.js'
import { channelSecretContext } from '../channels/index.js'
import type { Environment } from '../environment/index.js'
import { isTaskboardError } from '../errors/index.js'
import type { Storage } from '../storage/index.js'
import { webhookSecretContext } from '../webhooks/index.js'

/** What `resealSecrets` has done. */
export interface ResealedSecrets {
  /** How many secrets it has sealed with the first key. Those that were aren't among them. */
  readonly resealed: number
  /** How many no key opens. They stay as they are. */
  readonly unreadable: number
}

export interface ResealOptions {
  /** Called after each batch, with the sums so far. */
  readonly onProgress?: ((done: ResealedSecrets) => void) | undefined
}

interface ResealDeps<Tx> {
  readonly environment: Environment
  readonly storage: Storage<Tx>
  readonly secrets: SecretBox
}

const BATCH = 200

/** What a text is sealed for. */
const contexts: Readonly<Record<SealedKind, (row: SealedRow, member: string) => string>> = {
  webhook: ({ ownerId }) => webhookSecretContext(ownerId),
  channel: ({ ownerId }, member) => channelSecretContext(ownerId, member),
  factor: ({ ownerId }) => mfaContext(ownerId),
}

/**
 * Seals all secrets with the first key of the box and, when that leaves none that no key opens, the check of the key. Each batch is stored immediately
 * , so that a call after one that was interrupted continues with the rest.
 * @throws TaskboardError `INVALID_CONFIG` (`secrets.encryptionKey`) when no key of the box matches the key of the board.
 */
export async function resealSecrets<Tx>(
  { environment, storage, secrets }: ResealDeps<Tx>,
  { onProgress }: ResealOptions = {},
): Promise<ResealedSecrets> {
  const keep = (check: KeyCheck) => storage.keepKeyCheck(check, environment.call())
  await checkEncryptionKey(secrets, keep)
  let done: ResealedSecrets = { resealed: 0, unreadable: 0 }
  for (const kind of sealedKinds) {
    for (let afterId: string | null = null, isLast = false; !isLast;) {
      const rows: readonly SealedRow[] = await storage.access.listSealed(
        { kind, afterId, limit: BATCH },
        environment.call(),
      )
      const { replacements, unreadable } = resealed(secrets, kind, rows)
      if (replacements.length > 0) {
        await storage.access.replaceSealed({ kind, replacements }, environment.call())
      }
      done = { resealed: done.resealed + replacements.length, unreadable: done.unreadable + unreadable }
      if (rows.length > 0) onProgress?.(done)
      isLast = rows.length < BATCH
      afterId = rows.at(-1)?.id ?? null
    }
  }
  if (done.unreadable === 0) await moveKeyCheck(secrets, keep)
  return done
}

function resealed(secrets: SecretBox, kind: SealedKind, rows: readonly SealedRow[]) {
  const replacements: SealedReplacement[] = []
  let unreadable = 0
  for (const row of rows) {
    for (const [member, from] of Object.entries(row.texts)) {
      if (secrets.isSealedByFirst(from)) continue
      const context = contexts[kind](row, member)
      const plain = tryOpen(secrets, from, context)
      if (plain === null) unreadable += 1
      else replacements.push({ id: row.id, from, to: secrets.seal(plain, context) })
    }
  }
  return { replacements, unreadable }
}

function tryOpen(secrets: SecretBox, sealed: string, context: string): string | null {
  try {
    return secrets.open(sealed, context)
  } catch (error) {
    if (isTaskboardError(error, 'INTERNAL_ERROR')) return null
    throw error
  }
}
