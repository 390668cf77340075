import { describe, expect, it } from 'vitest'
import type { HttpRequest, RequestBody } from './http.js'
import { readJsonObject } from './json-body.js'

function requestWith(body: RequestBody, headers: Readonly<Record<string, string>> = {}): HttpRequest {
  const all: Readonly<Record<string, string>> = { 'content-type': 'application/json', ...headers }
  return {
    method: 'POST',
    path: '/',
    params: {},
    query: '',
    header: (name) => all[name],
    clientAddress: '',
    body,
  }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const unread = (read: () => Promise<Uint8Array | null>): RequestBody => ({ kind: 'unread', read })
const parsed = (value: unknown): RequestBody => ({ kind: 'parsed', value })
const read = async (body: RequestBody, headers?: Readonly<Record<string, string>>) =>
  readJsonObject(requestWith(body, headers), 20)

describe('readJsonObject', () => {
  it.each<[string, RequestBody]>([
    ['no body', { kind: 'none' }],
    ['no bytes', unread(() => Promise.resolve(bytes('')))],
    ['empty text from the host', parsed('')],
    ['empty bytes from the host', parsed(bytes(''))],
  ])('reads %s as an empty object', async (_, body) => {
    expect(await read(body)).toEqual({})
  })

  it.each<[string, RequestBody]>([
    ['bytes', unread(() => Promise.resolve(bytes('{"a":"é"}')))],
    ['bytes with a mark', unread(() => Promise.resolve(bytes('\uFEFF{"a":"é"}')))],
    ['an object from the host', parsed({ a: 'é' })],
    ['text from the host', parsed('{"a":"é"}')],
    ['text with a mark from the host', parsed('\uFEFF{"a":"é"}')],
    ['bytes from the host', parsed(bytes('{"a":"é"}'))],
  ])('reads %s', async (_, body) => {
    expect(await read(body)).toEqual({ a: 'é' })
  })

  it.each([parsed([]), parsed(null), parsed(7), parsed('[]'), parsed(bytes('"x"')), parsed('{')])(
    'refuses what is no JSON object: %o',
    async (body) => {
      await expect(read(body)).rejects.toMatchObject({ code: 'INVALID_JSON' })
    },
  )

  it('refuses bytes over the cap, wherever they are counted', async () => {
    const large = bytes(`{"a":"${'x'.repeat(20)}"}`)
    const never = unread(() => Promise.reject(new Error('must not be read')))
    await expect(read(never, { 'content-length': '21' })).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
    await expect(read(unread(() => Promise.resolve(null)))).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    })
    await expect(read(parsed(large))).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
  })

  it('reports a body that is cut short', async () => {
    const cut = unread(() => Promise.reject(new Error('gone')))
    await expect(read(cut)).rejects.toMatchObject({ code: 'INVALID_JSON' })
  })

  it('reports a body that the host read and discarded as an error of the host', async () => {
    await expect(read(parsed(undefined))).rejects.toThrow(/the host has read the request body/)
  })

  it.each(['', 'text/json', 'application/json-patch+json', 'application/json; charset=latin1'])(
    'refuses the type "%s", of what the host has parsed too',
    async (type) => {
      await expect(read(parsed({}), { 'content-type': type })).rejects.toMatchObject({
        code: 'UNSUPPORTED_MEDIA_TYPE',
      })
    },
  )

  it('refuses compressed bytes, but not those that the host has decompressed', async () => {
    const gzip = { 'content-encoding': 'gzip' }
    const body = unread(() => Promise.resolve(bytes('{}')))
    await expect(read(body, gzip)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
    expect(await read(parsed({ a: 1 }), gzip)).toEqual({ a: 1 })
  })
})
