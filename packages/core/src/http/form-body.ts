import { TaskboardError } from '../errors/index.js'
import type { HttpRequest } from './http.js'

const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(;|$)/i

/**
 * The fields of a form that a page sent, each with its first value, even when the host application's parser has read it.
 * @throws TaskboardError `UNSUPPORTED_MEDIA_TYPE` for another type, `PAYLOAD_TOO_LARGE` above `maxBytes`.
 */
export async function readForm(request: HttpRequest, maxBytes: number): Promise<ReadonlyMap<string, string>> {
  const { body } = request
  if (body.kind === 'none') return new Map()
  if (!FORM_TYPE.test(request.header('content-type') ?? ''))
    throw new TaskboardError(
      'UNSUPPORTED_MEDIA_TYPE',
      'the content type must be application/x-www-form-urlencoded',
    )
  const tooLarge = new TaskboardError('PAYLOAD_TOO_LARGE', `the body must have at most ${maxBytes} bytes`)
  if (body.kind === 'parsed') return parsed(body.value, maxBytes, tooLarge)
  if (Number(request.header('content-length') ?? 0) > maxBytes) throw tooLarge
  const bytes = await body.read(maxBytes)
  if (bytes === null) throw tooLarge
  return fieldsOf(new URLSearchParams(new TextDecoder().decode(bytes)))
}

function parsed(value: unknown, maxBytes: number, tooLarge: TaskboardError): ReadonlyMap<string, string> {
  if (value === undefined)
    throw new Error('the host has read the request body and discarded it; mount the routes before its parser')
  if (value instanceof Uint8Array || typeof value === 'string') {
    if (value.length > maxBytes) throw tooLarge
    return fieldsOf(new URLSearchParams(typeof value === 'string' ? value : new TextDecoder().decode(value)))
  }
  const entries = Object.entries(value as Readonly<Record<string, unknown>>)
  return fieldsOf(
    entries.map(([name, each]): [string, unknown] => [
      name,
      Array.isArray(each) ? (each[0] as unknown) : each,
    ]),
  )
}

function fieldsOf(entries: Iterable<readonly [string, unknown]>): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of entries) {
    if (typeof value === 'string' && !fields.has(name)) fields.set(name, value)
  }
  return fields
}
