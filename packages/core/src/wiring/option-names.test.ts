import { readFileSync } from 'node:fs'
import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { defineAgent } from '../agents/index.js'
import {
  createOperationCaller,
  fallbackRoutes,
  healthRoutes,
  realtimeEndpoint,
  toFetchHandler,
  toNodeHandler,
} from '../http/index.js'
import { createTaskboard } from './taskboard.js'

const storage = memoryStorage()
const refused = (field: string, message: RegExp | string = '') =>
  expect.objectContaining({
    code: 'INVALID_CONFIG',
    field,
    message: expect.stringMatching(message) as unknown,
  }) as Error
const create = (options: unknown) => () => createTaskboard(options as Parameters<typeof createTaskboard>[0])

describe('the options of createTaskboard', () => {
  it('have a text each, which editors show', () => {
    const source = readFileSync(new URL('taskboard-options.ts', import.meta.url), 'utf8')
    const [, members = ''] = /interface TaskboardOptions<[^\n]*\n([\s\S]*?)\n}/.exec(source) ?? []
    const found = [...members.matchAll(/(?<text>\*\/\n)?^ {2}readonly (?<name>\w+)\??:/gm)].map(
      ({ groups }) => groups,
    )
    expect(found.length).toBeGreaterThan(25)
    expect(found.filter((each) => each?.['text'] === undefined).map((each) => each?.['name'])).toEqual([])
  })

  it.each([
    ['agent', { agent: [] }, 'did you mean agents?'],
    ['webhooks.alow', { webhooks: { alow: [] } }, 'did you mean webhooks.allow?'],
    ['limits.perMinute', { limits: { perMinute: 5 } }, 'limits.perMinute is not an option'],
    ['attempts.backoff.base', { attempts: { backoff: { base: 1 } } }, 'is not an option'],
    ['constructor', { constructor: 1 }, 'constructor is not an option'],
  ])('have no %s', (field, options, message) => {
    expect(create({ storage, ...options })).toThrow(refused(field, message))
  })

  it.each([
    ['storage', {}],
    ['storage', { storage: memoryStorage }],
    ['agents', { storage, agents: defineAgent({ type: 'a', run: () => '' }) }],
    ['agents', { storage, agents: [{ type: 'a', run: () => '' }] }],
    ['telemetry', { storage, telemetry: () => undefined }],
    ['logger', { storage, logger: { info: () => undefined } }],
    ['clock', { storage, clock: Date }],
    ['random', { storage, random: Math.random }],
    ['notifications', { storage, notifications: () => undefined }],
    ['notifications', { storage, notifications: [() => ({ name: 'chat', send: () => undefined })] }],
    ['webhooks.allow', { storage, webhooks: { allow: '127.0.0.0/8' } }],
    ['webhooks.allow', { storage, webhooks: { allow: [127] } }],
    ['webhooks.allow', { storage, webhooks: { allow: ['localhost'] } }],
    ['prices.small', { storage, prices: { small: { inputUsd: '1', outputUsd: 2 } } }],
    ['authenticate', { storage, authenticate: 'me' }],
  ])('are refused for a %s of another kind (%#)', (field, options) => {
    expect(create(options)).toThrow(refused(field))
  })

  it('are an object', () => {
    expect(create(undefined)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  })

  it('may be undefined each', () => {
    expect(create({ storage, agents: undefined, agent: undefined, logger: false })).not.toThrow()
  })
})

it.each([
  ['a handler of Web requests', toFetchHandler],
  ['a handler of node:http', toNodeHandler],
  ['the realtime endpoint', realtimeEndpoint],
  ['health routes', healthRoutes],
  ['a caller of operations', createOperationCaller],
])('%s needs a task board', (_, make) => {
  for (const given of [undefined, {}, { taskboard: createTaskboard({ storage }) }])
    expect(() => make(given as never)).toThrow(refused('taskboard', 'what createTaskboard returns'))
})

it.each([
  ['readPath', () => healthRoutes(createTaskboard({ storage }), { readPath: '/ready' } as never)],
  ['concurency', () => defineAgent({ type: 'a', run: () => '', concurency: 2 } as never)],
  ['base', () => toFetchHandler(createTaskboard({ storage }), { base: '/' } as never)],
  ['route', () => toNodeHandler(createTaskboard({ storage }), { route: [] } as never)],
])('%s is no option of the function', (field, call) => {
  expect(call).toThrow(refused(field, 'is not an option'))
})

it.each([
  ['notFound', () => toFetchHandler(createTaskboard({ storage }), { notFound: 'host' } as never)],
  ['notFound', () => toNodeHandler(createTaskboard({ storage }), { notFound: 'envelope' } as never)],
  ['notFound', () => fallbackRoutes(createTaskboard({ storage }), 'page' as never)],
  ['clientAddress', () => toNodeHandler(createTaskboard({ storage }), { clientAddress: '::1' } as never)],
])('an option %s of another kind is refused (%#)', (field, call) => {
  expect(call).toThrow(refused(field, 'must be'))
})

it('there are no fallback routes where the host answers', () => {
  expect(fallbackRoutes(createTaskboard({ storage }), 'host')).toEqual([])
})
