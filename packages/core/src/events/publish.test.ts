import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEnvironment } from '../environment/index.js'
import type { EventDraft, LoggedEvent } from './catalog.js'
import type { EventStore } from './event-store.js'
import { eventPayloadSchemas, renderPayload } from './payloads.js'
import { plainJsonObject } from './plain-json.js'
import { createPublisher, publishDraft } from './publish.js'

const withField = (code: string, field: string) => expect.objectContaining({ code, field }) as Error

function nested(levels: number): Record<string, unknown> {
  return levels === 1 ? {} : { inner: nested(levels - 1) }
}

describe('what can be published', () => {
  it.each(['task.created', 'task.progress', '', 'toString'])('type %j is refused', (type) => {
    expect(() => publishDraft(type, {})).toThrow(withField('INVALID_FIELD', 'type'))
  })

  const circle: Record<string, unknown> = {}
  circle['self'] = { circle }
  let wide: unknown = 'x'
  for (let level = 0; level < 30; level++) wide = [wide, wide]
  const refused: [string, unknown][] = [
    ['undefined', undefined],
    ['null', null],
    ['text', 'text'],
    ['an array', []],
    ['a date', { at: new Date(0) }],
    ['an object of a class', new URL('https://example.com')],
    ['a map', new Map()],
    ['a function', { f: () => 1 }],
    ['a symbol', { s: Symbol('s') }],
    ['a bigint', { n: 1n }],
    ['NaN', { n: NaN }],
    ['infinity', { n: -Infinity }],
    ['undefined in an array', { a: [undefined] }],
    // eslint-disable-next-line no-sparse-arrays
    ['a hole', { a: [1, , 2] }],
    ['a circle', circle],
    ['NUL', { a: 'a\0' }],
    ['a lone surrogate', { a: '\ud800' }],
    ['NUL in a key', { 'a\0': 1 }],
    ['__proto__', JSON.parse('{"a":{"__proto__":{"x":1}}}')],
    ['33 levels', nested(33)],
    ['more than 64 KiB of text', { text: 'x'.repeat(65_536) }],
    ['more than 64 KiB in UTF-8 only', { text: 'é'.repeat(32_768) }],
    ['a huge shared structure', { wide }],
    ['a huge array', { a: Array.from({ length: 1_000_000 }) }],
  ]
  it.each(refused)('data that is %s is refused', (_, data) => {
    expect(() => publishDraft('order.new', data)).toThrow(withField('INVALID_FIELD', 'data'))
  })

  it('data may be 32 levels deep and 64 KiB large', () => {
    expect(publishDraft('order.new', nested(32)).data).toEqual(nested(32))
    const largest = { text: 'x'.repeat(65_536 - '{"text":""}'.length) }
    expect(publishDraft('order.new', largest).data).toEqual(largest)
  })

  it('data is stored as its JSON, without later changes to the object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
        fc.pre(!JSON.stringify(data).includes('__proto__') && !JSON.stringify(data).includes('\\u0000'))
        expect(plainJsonObject(data, 'data')).toStrictEqual(JSON.parse(JSON.stringify(data)))
      }),
    )
    const data = { items: [{ id: 1, gone: undefined }], zero: -0 }
    const draft = publishDraft('email.received', data)
    data.items.length = 0
    expect(draft.data).toStrictEqual({ items: [{ id: 1 }], zero: 0 })
    expect(Object.isFrozen(draft.data)).toBe(true)
  })

  it.each([
    [{}, 'MISSING_FIELD', 'message'],
    [{ message: undefined }, 'MISSING_FIELD', 'message'],
    [{ message: 5 }, 'INVALID_FIELD', 'message'],
    [{ message: ' ' }, 'INVALID_FIELD', 'message'],
    [{ message: 'm', task_id: 5 }, 'INVALID_FIELD', 'task_id'],
  ])('an alert with %j is refused with %s', (data, code, field) => {
    expect(() => publishDraft('agent.alert', data)).toThrow(withField(code, field))
  })

  it('an alert goes out unchanged', () => {
    const data = { message: 'Disk full', Severity: 'high', task_id: 'task_1' }
    const draft = publishDraft('agent.alert', data)
    const payload = renderPayload({ ...draft, at: 0, payloadVersion: 1 })
    expect(payload.data).toEqual(data)
    expect(eventPayloadSchemas['agent.alert'].parse(payload)).toEqual(payload)
  })
})

describe('publish', () => {
  it('appends to the log at the storage time, in the given transaction', async () => {
    const appended: unknown[] = []
    const store = {
      appendEvent(
        { workspaceId, event: draft }: { workspaceId: string; event: EventDraft },
        at: unknown,
      ): Promise<LoggedEvent> {
        appended.push([workspaceId, draft, at])
        return Promise.resolve({ ...draft, id: 'log_1', workspaceId, seq: 7, at: 3, payloadVersion: 1 })
      },
    } as Partial<EventStore<string>> as EventStore<string>
    const publish = createPublisher({ environment: createEnvironment(), store })
    const event = await publish('ws_1', 'order.new', { total: 5 }, { tx: 'open' })
    expect(event).toEqual({
      type: 'order.new',
      data: { total: 5 },
      id: 'log_1',
      workspaceId: 'ws_1',
      seq: 7,
      at: 3,
    })
    expect(appended).toEqual([['ws_1', { type: 'order.new', data: { total: 5 } }, { now: null, tx: 'open' }]])
    await expect(publish('ws_1', 'task.moved' as 'order.new', {})).rejects.toThrow(
      withField('INVALID_FIELD', 'type'),
    )
    expect(appended).toHaveLength(1)
  })
})
