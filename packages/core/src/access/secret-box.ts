import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import type { Random } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'

/** Encrypts secrets that must be read again at rest, unlike passwords and keys, which are hashed. */
export interface SecretBox {
  /**
   * Encrypts `plain` for one place: `context` names it (`webhook:wh_…`) and isn't secret. The result has the form
   * `v1.<key id>.<base64url>`. Sealing the same text twice gives two different results.
   */
  seal(plain: string, context: string): string
  /**
   * Decrypts a sealed text with any of the box's keys.
   * @throws TaskboardError `INTERNAL_ERROR`, without a reason, when the text was changed, was sealed for another context, or its key
   * isn't in the box.
   */
  open(sealed: string, context: string): string
  /** Whether a sealed text names the key that seals now. */
  isSealedByFirst(sealed: string): boolean
  /** A digest of a text that may have a secret in it. Without the first key, no guess at the text can be checked by it. */
  digest(text: string): string
}

/** 32 bytes, or the same as base64, base64url or hexadecimal text. */
export type EncryptionKey = string | Uint8Array

export interface SecretBoxOptions {
  /**
   * One key, or several to rotate: the first one seals, all of them open. An id is 1 to 64 of `A-Z a-z 0-9 _ -`, is part of the
   * sealed text and must stay with its key. If you list a key that you gave alone before, it still opens its texts.
   */
  readonly encryptionKey: EncryptionKey | readonly { readonly id: string; readonly key: EncryptionKey }[]
}

interface BoxKey {
  readonly id: string
  readonly secret: KeyObject
}

const VERSION = 'v1'
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_ID = /^[A-Za-z0-9_-]{1,64}$/
const HEX_KEY = /^[0-9a-fA-F]{64}$/
const BASE64_KEY = /^[A-Za-z0-9+/_-]{43}=?$/

/**
 * A box with AES-256-GCM (NIST SP 800-38D) and a random 96-bit nonce for each text, which is sound for 2^32 texts a key.
 * @throws TaskboardError `INVALID_CONFIG` when a key isn't 32 bytes or the ids aren't usable.
 */
export function createSecretBox(options: SecretBoxOptions, random: Random): SecretBox {
  const keys = parseKeys(options.encryptionKey)
  const sealing = keys.sealing
  const digesting = digestKey(sealing.secret)

  return {
    seal(plain, context) {
      const nonce = random.bytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, sealing.secret, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(boundData(sealing.id, context))
      const text = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${VERSION}.${sealing.id}.${text.toString('base64url')}`
    },
    open(sealed, context) {
      const opened = tryOpen(keys.opening, sealed, context)
      if (opened === null) throw new TaskboardError('INTERNAL_ERROR', 'a stored secret could not be read')
      return opened
    },
    isSealedByFirst: (sealed) => sealed.startsWith(`${VERSION}.${sealing.id}.`),
    digest: (text) => createHmac('sha256', digesting).update(text).digest('hex'),
  }
}

/** Its own key (HKDF, RFC 5869), since one key should have one use. */
function digestKey(secret: KeyObject): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'taskboard digest', KEY_BYTES)))
}

/** A box with a new key that exists only in this process: for storages that don't outlive it either. */
export function ephemeralSecretBox(random: Random): SecretBox {
  return createSecretBox({ encryptionKey: random.bytes(KEY_BYTES) }, random)
}

function tryOpen(keys: ReadonlyMap<string, BoxKey>, sealed: string, context: string): string | null {
  const [version, id, text, ...rest] = sealed.split('.')
  if (version !== VERSION || id === undefined || text === undefined || rest.length > 0) return null
  const key = keys.get(id)
  const bytes = Buffer.from(text, 'base64url')
  // Node skips characters that are not base64url and ignores spare bits. Only the canonical spelling is accepted.
  if (key === undefined || bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== text)
    return null
  const end = bytes.length - TAG_BYTES
  try {
    const decipher = createDecipheriv(CIPHER, key.secret, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(boundData(id, context))
    decipher.setAuthTag(bytes.subarray(end))
    const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()])
    return plain.toString('utf8')
  } catch {
    return null
  }
}

/** What the tag covers besides the text. Key ids have no dot, so no two pairs give the same bytes. */
function boundData(keyId: string, context: string): Buffer {
  return Buffer.from(`${VERSION}.${keyId}.${context}`, 'utf8')
}

function parseKeys(input: SecretBoxOptions['encryptionKey']): {
  readonly sealing: BoxKey
  readonly opening: ReadonlyMap<string, BoxKey>
} {
  const opening = new Map<string, BoxKey>()
  if (typeof input === 'string' || input instanceof Uint8Array) {
    const bytes = parseKey(input, 'encryptionKey')
    const sealing = { id: derivedId(bytes), secret: createSecretKey(bytes) }
    return { sealing, opening: opening.set(sealing.id, sealing) }
  }
  if (!Array.isArray(input)) throw invalid('encryptionKey must be a key or a list of { id, key }')
  const listed = (input as readonly { id: string; key: EncryptionKey }[]).map(({ id, key }, index) => {
    if (typeof id !== 'string' || !KEY_ID.test(id)) {
      throw invalid(`encryptionKey[${index}].id must be 1 to 64 of A-Z, a-z, 0-9, _ and -`)
    }
    const bytes = parseKey(key, `encryptionKey[${index}].key`)
    return { id, derived: derivedId(bytes), secret: createSecretKey(bytes) }
  })
  for (const { derived, secret } of listed) opening.set(derived, { id: derived, secret })
  const ids = new Set<string>()
  for (const { id, secret } of listed) {
    if (ids.has(id)) throw invalid(`encryptionKey has the id ${id} twice`)
    ids.add(id)
    opening.set(id, { id, secret })
  }
  const [first] = listed
  if (first === undefined) throw invalid('encryptionKey must have at least one key')
  return { sealing: { id: first.id, secret: first.secret }, opening }
}

function parseKey(key: unknown, name: string): Buffer {
  if (key instanceof Uint8Array && key.length === KEY_BYTES) return Buffer.from(key)
  if (typeof key === 'string') {
    if (HEX_KEY.test(key)) return Buffer.from(key, 'hex')
    if (BASE64_KEY.test(key)) return Buffer.from(key, 'base64')
  }
  throw invalid(`${name} must be 32 bytes, as base64, base64url or hexadecimal text or as a Uint8Array`)
}

/** The id of a key that was given without one. It identifies the key without revealing anything about it. */
function derivedId(key: Buffer): string {
  return createHash('sha256').update('taskboard key id\0').update(key).digest('base64url').slice(0, 11)
}

function invalid(message: string): TaskboardError {
  return new TaskboardError('INVALID_CONFIG', `secrets.${message}`, { field: 'secrets.encryptionKey' })
}
