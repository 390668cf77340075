import { inspect } from 'node:util'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { defineAgent } from '../agents/index.js'
import type { Logger } from '../environment/index.js'
import { createTaskboard } from './taskboard.js'
import type { TaskboardOptions } from './taskboard-options.js'

const SECRET = 'hunter2'

/** An error like those of libraries: with a cause, and a credential on both. */
function failure(what: string): Error {
  const hung = { params: [SECRET], request: { headers: { authorization: `Bearer ${SECRET}` } } }
  const cause = Object.assign(new RangeError(`${what}: the cause`), hung)
  return Object.assign(new Error(what, { cause }), hung)
}

/** Makes each of the host's background callbacks fail once. */
async function failEverywhere(logger: TaskboardOptions['logger']): Promise<void> {
  const clock = virtualClock()
  const storage = memoryStorage()
  const taskboard = createTaskboard({
    storage: {
      ...storage,
      tasks: { ...storage.tasks, expireLeases: () => Promise.reject(failure('the sweep')) },
    },
    clock,
    logger,
    attempts: { max: 1 },
    agents: [
      defineAgent({
        type: 'failing',
        run: () => Promise.reject(failure('the run')),
        chat: () => Promise.reject(failure('the chat')),
      }),
    ],
    notifications: [{ name: 'mail', send: () => Promise.reject(failure('the notification')) }],
  })
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  await taskboard.notifications.configure(workspace.id, 'mail', {})
  taskboard.events.on('task.failed', () => Promise.reject(failure('the listener')))
  await taskboard.start()
  const board = taskboard.board(workspace.id)
  await board.add({ title: 'x' })
  await expect(board.chat({ message: 'hello' })).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' })
  await clock.advance({ seconds: 2 })
  await taskboard.close()
}

const FAILURES = ['the run', 'the chat', 'the notification', 'the listener', 'the sweep']

describe('a failure in the background', () => {
  const written: string[] = []
  beforeEach(() => {
    written.length = 0
    for (const method of ['warn', 'error'] as const) {
      vi.spyOn(console, method).mockImplementation((...line: unknown[]) => {
        written.push(line.map((part) => (typeof part === 'string' ? part : inspect(part))).join(' '))
      })
    }
  })
  afterEach(() => vi.restoreAllMocks())

  it('is logged under err, with stack and cause, and without other properties of the error', async () => {
    const seen: { readonly err?: Error }[] = []
    const note = (fields: object): void => void seen.push(fields)
    const logger: Logger = { debug: note, info: note, warn: note, error: note, fatal: note }
    await failEverywhere(logger)
    for (const what of FAILURES) {
      const line = seen.find(({ err }) => err?.message === what)
      expect(line?.err?.stack).toContain('background-errors.test')
      expect(line?.err?.cause).toMatchObject({ name: 'RangeError', message: `${what}: the cause` })
    }
    expect(seen.flatMap((line) => Object.keys(line))).not.toContain('error')
    expect(inspect(seen, { depth: 20, showHidden: true })).not.toContain(SECRET)
    expect(written).toEqual([])
  })

  it('goes to the console when the host has no logger', async () => {
    await failEverywhere(undefined)
    for (const what of FAILURES) {
      const text = written.find((each) => each.includes(`Error: ${what}\n`))
      expect(text).toContain(`[cause]: RangeError: ${what}: the cause`)
      expect(text).toContain('[taskboard] ')
    }
    expect(written.join('\n')).not.toContain(SECRET)
  })

  it('is silent with logger: false', async () => {
    await failEverywhere(false)
    expect(written).toEqual([])
  })
})
