import { describe, expect, it } from 'vitest'
import { readForm } from './form-body.js'
import type { HttpRequest, RequestBody } from './http.js'

const FORM = 'application/x-www-form-urlencoded'
const requestOf = (body: RequestBody, headers: Readonly<Record<string, string>> = { 'content-type': FORM }) =>
  ({
    method: 'POST',
    path: '/',
    params: {},
    query: '',
    clientAddress: '',
    header: (name: string) => headers[name],
    body,
  }) satisfies HttpRequest

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const fields = { answer: 'a + b', twice: 'one' }
const text = 'answer=a+%2B+b&twice=one&twice=two'

describe('a form', () => {
  it.each<readonly [string, RequestBody]>([
    ['unread', { kind: 'unread', read: () => Promise.resolve(bytesOf(text)) }],
    ['as text', { kind: 'parsed', value: text }],
    ['as bytes', { kind: 'parsed', value: bytesOf(text) }],
    [
      'as the object of a parser',
      { kind: 'parsed', value: { answer: 'a + b', twice: ['one', 'two'], deep: {} } },
    ],
  ])('is read %s', async (_, body) => {
    expect(Object.fromEntries(await readForm(requestOf(body), 100))).toEqual(fields)
  })

  it('is empty without a body', async () => {
    expect((await readForm(requestOf({ kind: 'none' }, {}), 100)).size).toBe(0)
  })

  it('is refused when it is too long, or of another type', async () => {
    const unread: RequestBody = { kind: 'unread', read: () => null }
    const long = { code: 'PAYLOAD_TOO_LARGE' }
    await expect(readForm(requestOf(unread), 10)).rejects.toMatchObject(long)
    await expect(readForm(requestOf({ kind: 'parsed', value: text }), 10)).rejects.toMatchObject(long)
    const declared = { 'content-type': FORM, 'content-length': '11' }
    await expect(readForm(requestOf(unread, declared), 10)).rejects.toMatchObject(long)
    const json = requestOf({ kind: 'parsed', value: {} }, { 'content-type': 'application/json' })
    await expect(readForm(json, 10)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  it('that the host has read and discarded is a fault of the host', async () => {
    const request = requestOf({ kind: 'parsed', value: undefined })
    await expect(readForm(request, 10)).rejects.toThrow('mount the routes before its parser')
  })
})
