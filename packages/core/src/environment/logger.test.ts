import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TaskboardError } from '../errors/index.js'
import { createEnvironment } from './environment.js'
import { loggedError } from './logged-error.js'
import { silentLogger, type Logger } from './logger.js'

describe('loggedError', () => {
  it('keeps class, code, message, stack and causes', () => {
    const root = Object.assign(new RangeError('root'), { code: 'ECONNREFUSED' })
    const thrown = new TaskboardError('SERVICE_UNAVAILABLE', 'the storage is away', { cause: root })
    const logged = loggedError(thrown)
    expect(logged).toBeInstanceOf(TaskboardError)
    expect(logged).toMatchObject({ code: 'SERVICE_UNAVAILABLE', stack: thrown.stack, name: 'TaskboardError' })
    expect(logged.cause).toBeInstanceOf(RangeError)
    expect(logged.cause).toMatchObject({ message: 'root', code: 'ECONNREFUSED', stack: root.stack })
    expect(inspect(logged)).toContain('[cause]: RangeError: root')
  })

  it('keeps the errors of an AggregateError', () => {
    const refused = ['127.0.0.1', '::1'].map((address) => new Error(`connect ECONNREFUSED ${address}`))
    const logged = loggedError(Object.assign(new AggregateError(refused), { code: 'ECONNREFUSED' }))
    expect(logged).toMatchObject({ code: 'ECONNREFUSED', errors: refused })
  })

  it('leaves out every other property, also of the causes', () => {
    const hung = { params: ['hunter2'], config: { headers: { authorization: 'Bearer hunter2' } } }
    const inner = Object.assign(new Error('query failed'), hung)
    const others = new AggregateError([Object.assign(new Error('first'), hung)], 'all failed', {
      cause: inner,
    })
    const logged = loggedError(Object.assign(others, hung))
    expect(inspect(logged, { depth: 20, showHidden: true })).not.toContain('hunter2')
    expect(Object.keys(logged)).toEqual([])
  })

  it('ends with circular causes', () => {
    const one = new Error('one')
    const other = new Error('other', { cause: one })
    one.cause = other
    let depth = 0
    for (let each: unknown = loggedError(one); each instanceof Error; each = each.cause) depth++
    expect(depth).toBe(9)
  })

  it.each<[string, unknown, string]>([
    ['text', 'boom', 'boom'],
    ['nothing', undefined, 'something that is not an Error was thrown'],
    ['an object', { secret: 'hunter2' }, 'something that is not an Error was thrown'],
    [
      'an error that cannot be read',
      Object.defineProperty(new Error('x'), 'message', {
        get() {
          throw new Error('no')
        },
      }),
      'an Error that cannot be read was thrown',
    ],
  ])('makes an Error of %s', (_, thrown, message) => {
    const logged = loggedError(thrown)
    expect(logged).toBeInstanceOf(Error)
    expect([logged.message, logged.stack]).toEqual([message, `Error: ${message}`])
  })
})

describe('the logger of an environment', () => {
  const lines: unknown[][] = []
  beforeEach(() => {
    lines.length = 0
    for (const method of ['debug', 'info', 'log', 'warn', 'error'] as const)
      vi.spyOn(console, method).mockImplementation((...line: unknown[]) => void lines.push([method, ...line]))
  })
  afterEach(() => vi.restoreAllMocks())

  it('writes warnings and errors to the console unless the host gives one', () => {
    const { logger } = createEnvironment()
    const err = new Error('boom')
    logger.debug({}, 'not said')
    logger.info({}, 'not said')
    logger.warn({ taskId: 'task_1', err }, 'an agent failed')
    logger.error({ err }, 'a request failed')
    logger.fatal({}, 'the end')
    expect(lines).toEqual([
      ['warn', '[taskboard] an agent failed', { taskId: 'task_1' }, err],
      ['error', '[taskboard] a request failed', err],
      ['error', '[taskboard] the end'],
    ])
  })

  it.each([false, silentLogger] as const)('writes nothing with %s', (chosen) => {
    const { logger } = createEnvironment({ logger: chosen })
    logger.error({ err: new Error('boom') }, 'a request failed')
    expect(lines).toEqual([])
  })

  it('passes errors to the host’s logger without other properties, and survives what that throws', () => {
    const seen: object[] = []
    const note: Logger['error'] = (fields) => {
      seen.push(fields)
      throw new Error('the disk is full')
    }
    const { logger } = createEnvironment({
      logger: { debug: note, info: note, warn: note, error: note, fatal: note },
    })
    logger.error(
      { taskId: 'task_1', err: Object.assign(new Error('boom'), { params: ['hunter2'] }) },
      'failed',
    )
    expect(seen).toEqual([{ taskId: 'task_1', err: new Error('boom') }])
    expect(inspect(seen)).not.toContain('hunter2')
  })
})
