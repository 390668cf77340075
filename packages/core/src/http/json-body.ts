import { parseJson, TaskboardError } from '../errors/index.js'
import type { HttpRequest } from './http.js'

/** Joins chunks of `total` bytes; returns a single one unchanged. */
export function joinChunks(chunks: readonly Uint8Array[], total: number): Uint8Array {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  const whole = new Uint8Array(total)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}

/** A JSON object as received, with unchecked members. */
export type JsonObject = Readonly<Record<string, unknown>>

const EMPTY: JsonObject = Object.freeze({})

const decoder = new TextDecoder('utf-8', { fatal: true })

const JSON_TYPE = /^application\/json[ \t]*(;|$)/i

const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*("?)([^";\s]*)\1/i

/**
 * The request's body as a JSON object. A missing body counts as an empty object, so that the error names the first missing field.
 * The last of repeated keys counts; a byte order mark is skipped. Immediate when the bytes have arrived.
 * @throws TaskboardError `UNSUPPORTED_MEDIA_TYPE` unless the type is `application/json` (in UTF-8 and not compressed), `PAYLOAD_TOO_LARGE`
 * above `maxBytes`. `INVALID_JSON` for a body that isn't UTF-8, not JSON, not an object, nested too deep, has too many values, or is cut
 * short.
 */
export function readJsonObject(request: HttpRequest, maxBytes: number): JsonObject | Promise<JsonObject> {
  const { body } = request
  if (body.kind === 'none') return EMPTY
  requireJsonType(request.header('content-type'))
  if (body.kind === 'parsed') return toJsonObject(body.value, maxBytes)

  const encoding = request.header('content-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new TaskboardError('UNSUPPORTED_MEDIA_TYPE', 'the body must not be compressed')
  const length = request.header('content-length')
  if (length !== undefined && Number(length) > maxBytes) throw tooLarge(maxBytes)
  const bytes = body.read(maxBytes)
  return bytes instanceof Promise ? parseLate(bytes, maxBytes) : parseBytes(bytes, maxBytes)
}

async function parseLate(read: Promise<Uint8Array | null>, maxBytes: number): Promise<JsonObject> {
  return parseBytes(await readBytes(read), maxBytes)
}

function parseBytes(bytes: Uint8Array | null, maxBytes: number): JsonObject {
  if (bytes === null) throw tooLarge(maxBytes)
  return bytes.length === 0 ? EMPTY : parseObject(decode(bytes))
}

function requireJsonType(contentType: string | undefined): void {
  if (contentType === 'application/json') return
  const charset = contentType === undefined ? undefined : CHARSET.exec(contentType)?.[2]
  const isUtf8 =
    charset === undefined || charset.toLowerCase() === 'utf-8' || charset.toLowerCase() === 'utf8'
  if (contentType === undefined || !JSON_TYPE.test(contentType) || !isUtf8)
    throw new TaskboardError('UNSUPPORTED_MEDIA_TYPE', 'the content type must be application/json in UTF-8')
}

async function readBytes(read: Promise<Uint8Array | null>): Promise<Uint8Array | null> {
  try {
    return await read
  } catch (error) {
    throw new TaskboardError('INVALID_JSON', 'the body was cut short', { cause: error })
  }
}

/** The result of a host's parser: an object, or unparsed text or bytes. */
function toJsonObject(value: unknown, maxBytes: number): JsonObject {
  if (value === undefined)
    throw new Error('the host has read the request body and discarded it; mount the routes before its parser')
  if (value instanceof Uint8Array) {
    return parseBytes(value.length > maxBytes ? null : value, maxBytes)
  }
  if (typeof value !== 'string') return requireObject(value)
  if (value === '') return EMPTY
  return parseObject(value.startsWith('\uFEFF') ? value.slice(1) : value)
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw new TaskboardError('INVALID_JSON', 'the body must be UTF-8', { cause: error })
  }
}

function parseObject(text: string): JsonObject {
  return requireObject(parseJson(text, 'the body'))
}

function requireObject(value: unknown): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw new TaskboardError('INVALID_JSON', 'the body must be a JSON object')
}

function tooLarge(maxBytes: number): TaskboardError {
  return new TaskboardError('PAYLOAD_TOO_LARGE', `the body must have at most ${maxBytes} bytes`)
}
