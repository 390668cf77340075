import compression from 'compression'
import { afterEach, describe, expect, it } from 'vitest'
import { type McpHost, mountBehind, serveMcp } from '@taskboard/kit/mcp/mcp-host'
import { listenTo } from '../../test/raw-requests.js'

let host: McpHost
afterEach(() => host.close())

/** Reads until the text contains all of `wanted`, which come in any chunks. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, wanted: readonly string[]) {
  const decoder = new TextDecoder()
  let text = ''
  while (!wanted.every((part) => text.includes(part))) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the stream ended after: ${text}`)
    text += decoder.decode(value, { stream: true })
  }
}

describe('a subscription on Express below compression()', () => {
  it('brings its acknowledgement and the messages to a client that accepts gzip', async () => {
    host = await serveMcp({ mount: (...board) => mountBehind([compression()], ...board) })
    const { id } = await host.board.add({ title: 'wanted' })
    const response = await listenTo(host, [`task://${id}`], { headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const { body } = response
    if (body === null) throw new Error('the answer has no body')
    const reader = body.getReader()
    await readUntil(reader, ['notifications/subscriptions/acknowledged'])
    await host.board.move(id, 'DOING')
    await readUntil(reader, ['notifications/resources/updated', `task://${id}`])
    await host.board.move(id, 'DONE')
    await readUntil(reader, ['notifications/resources/updated', `task://${id}`])
    await reader.cancel()
  })
})
