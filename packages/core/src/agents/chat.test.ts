import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import type { Board } from '../board/index.js'
import { createEnvironment } from '../environment/index.js'
import { createTaskboard } from '../wiring/taskboard.js'
import { type Agent, agentFields } from './agent.js'
import type { AgentStore } from './agent-store.js'
import { createChat } from './chat.js'
import { defineAgent, type AgentOptions } from './define-agent.js'

const board = { workspaceId: 'ws_1' } as Board
const question = { message: 'what is left?', user: 'ada', caller: null }

describe('chat', () => {
  it('is answered by the oldest agent that can', async () => {
    const { ask } = setUp({
      stored: ['mute', 'second', 'first'],
      runtimes: [
        { type: 'first', chat: () => 'first' },
        { type: 'mute' },
        { type: 'second', chat: (message, { user }) => `second says to ${user}: ${message}` },
      ],
    })
    await expect(ask()).resolves.toBe('second says to ada: what is left?')
  })

  it('passes the agent the board, and a signal that has not aborted', async () => {
    const { ask } = setUp({
      stored: ['bot'],
      runtimes: [
        { type: 'bot', chat: async (_, context) => `${context.board === board} ${context.signal.aborted}` },
      ],
    })
    await expect(ask()).resolves.toBe('true false')
  })

  it('decides no approval, also when a caller asks the agent to', async () => {
    const bot = defineAgent({
      type: 'bot',
      run: () => '',
      async chat(message, { board: own }) {
        const actor = { kind: 'user', id: 'user_1' } as const
        const decided = own.decide(message, { decision: 'approved' }, { actor })
        const outcome = await decided.then(String, ({ code }: { readonly code: string }) => code)
        await expect(own.answer(id, { body: 'Yes.' }, { actor })).rejects.toThrow('an agent cannot answer')
        await expect(own.answerOnce(id, { body: 'Yes.' })).rejects.toThrow('an agent cannot answer')
        return `${outcome} ${(await own.list('DOING')).tasks.length} ${(await own.schedules.list()).schedules.length}`
      },
    })
    const storage = memoryStorage()
    const taskboard = createTaskboard({ storage, agents: [bot] })
    const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
    const own = taskboard.board(workspace.id)
    const [worker] = await taskboard.agents.list(workspace.id)
    const { id } = await own.add({ title: 'Refund order 7' })
    const claimed = await own.claim({ agentId: worker?.id ?? '' })
    const fencingToken = claimed?.lease?.fencingToken ?? 0
    const asked = await own.requestApproval(id, { action: 'refund', summary: 'Refund', fencingToken })
    const { reply } = await own.chat({ message: asked.approval.id })
    expect(reply).toBe('FORBIDDEN 0 0')
    expect((await own.decide(asked.approval.id, { decision: 'approved' })).status).toBe('approved')
  })

  it.each([
    ['no agent is stored', [], [{ type: 'bot', chat: () => 'hi' }]],
    ['no runtime is registered', ['bot'], []],
    ['the agent cannot chat', ['bot'], [{ type: 'bot' }]],
  ])('is AGENT_UNAVAILABLE when %s', async (_, stored, runtimes) => {
    await expect(setUp({ stored, runtimes }).ask()).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' })
  })

  it('is AGENT_UNAVAILABLE on a board that does not exist', async () => {
    const bot = defineAgent({ type: 'bot', run: () => '', chat: () => 'hi' })
    const taskboard = createTaskboard({ storage: memoryStorage(), agents: [bot] })
    await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
    for (const workspaceId of ['ws_none', undefined as unknown as string]) {
      const asked = taskboard.board(workspaceId).chat({ message: 'what is left?' })
      await expect(asked).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' })
    }
  })

  it.each<[string, () => unknown]>([
    ['throws', () => Promise.reject(new Error('secret detail'))],
    ['throws at once', throwAtOnce],
    ['replies with a number', () => 42],
  ])('is AGENT_UNAVAILABLE when the agent %s, without the details', async (_, chat) => {
    const { ask, clock } = setUp({ stored: ['bot'], runtimes: [{ type: 'bot', chat: chat as () => string }] })
    const failure = expect.objectContaining({
      code: 'AGENT_UNAVAILABLE',
      message: 'the agent did not answer',
    })
    await expect(ask()).rejects.toEqual(failure)
    expect(clock.pending().timers).toEqual([])
  })

  it('ends after its time, and aborts the signal of the agent', async () => {
    const signals: AbortSignal[] = []
    const { ask, clock } = setUp({
      stored: ['bot'],
      runtimes: [
        {
          type: 'bot',
          chat(_, { signal }) {
            signals.push(signal)
            return new Promise(() => undefined)
          },
        },
      ],
    })
    const asked = ask().catch((error: unknown) => error)
    await clock.advance(29_999)
    expect(signals[0]?.aborted).toBe(false)
    await clock.advance(1)
    expect(signals[0]?.aborted).toBe(true)
    expect(await asked).toMatchObject({ code: 'AGENT_UNAVAILABLE' })
  })

  it('ends with the task board, which begins no other one', async () => {
    const asked: string[] = []
    const chat = (message: string): string | Promise<string> => {
      asked.push(message)
      return asked.length > 1 ? 'late' : new Promise(() => undefined)
    }
    const { ask, close } = setUp({ stored: ['bot'], runtimes: [{ type: 'bot', chat }] })
    const early = ask()
    while (asked.length === 0) await Promise.resolve()
    close()
    await expect(early).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' })
    await expect(ask()).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' })
    expect(asked).toHaveLength(1)
  })

  it('cuts off a reply that is too long', async () => {
    const { ask } = setUp({ stored: ['bot'], runtimes: [{ type: 'bot', chat: () => 'x'.repeat(200_000) }] })
    await expect(ask()).resolves.toHaveLength(100_000)
  })
})

function throwAtOnce(): string {
  throw new Error('secret detail')
}

function setUp(fixture: { stored: readonly string[]; runtimes: readonly Omit<AgentOptions, 'run'>[] }) {
  const clock = virtualClock()
  const environment = createEnvironment({ clock, logger: false })
  const runtimes = fixture.runtimes.map((one) => defineAgent({ ...one, run: () => '' }))
  const agents = {
    listAgents: (async () =>
      fixture.stored.map((type, index): Agent => {
        const id = `agent_${index}`
        return {
          ...agentFields.empty,
          id,
          workspaceId: 'ws_1',
          name: type,
          type,
          status: 'available',
          createdAt: index,
        }
      })) as unknown as AgentStore['listAgents'],
  }
  const closing = new AbortController()
  const unused = () => Promise.reject(new Error('not used'))
  const chat = createChat({
    environment,
    agents,
    runtimes,
    usage: { enterUsage: unused },
    prices: {},
    bounds: { usdPerReport: 1, tokensPerReport: 1 },
    quota: { createTask: unused, createTasks: unused, createHeld: unused },
    closed: closing.signal,
  })
  return { clock, ask: () => chat(board, question), close: () => closing.abort() }
}
