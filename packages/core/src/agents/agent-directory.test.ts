import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createEnvironment } from '../environment/index.js'
import { createAgentDirectory } from './agent-directory.js'
import { type Agent, agentFields } from './agent.js'
import type { AgentPart, AgentQuery, AgentReading } from './agent-store.js'

function setUp() {
  const clock = virtualClock()
  let aheadMs = 0
  const lookups: (readonly string[])[] = []
  let answer: Promise<void> = Promise.resolve()
  const directory = createAgentDirectory(
    createEnvironment({ clock: { ...clock, now: () => clock.now() + aheadMs } }),
    {
      async listAgents<Part extends AgentPart>({ agentIds: ids = [] }: AgentQuery<Part>) {
        lookups.push(ids)
        const found = ids.filter((id) => id !== 'gone').map((id) => toAgent(id, `named ${lookups.length}`))
        await answer
        return found as unknown as readonly AgentReading<Part>[]
      },
    },
  )
  return {
    clock,
    lookups,
    directory,
    delay: (until: Promise<void>) => void (answer = until),
    setBack: (ms: number) => void (aheadMs -= ms),
  }
}

function toAgent(id: string, name: string): Agent {
  return { ...agentFields.empty, id, name, workspaceId: 'ws_1', type: 'bot', status: 'offline', createdAt: 0 }
}

describe('the directory of agents', () => {
  it('looks up concurrent requests together, and each agent once', async () => {
    const { directory, lookups } = setUp()
    const found = await Promise.all(['a', 'b', 'a', 'gone'].map(async (id) => directory.get(id)))
    expect(found.map((agent) => agent?.id)).toEqual(['a', 'b', 'a', undefined])
    expect(lookups).toEqual([['a', 'b', 'gone']])
    expect(directory.get('b')).toMatchObject({ id: 'b' })
  })

  it('keeps an agent for a second', async () => {
    const { clock, directory, lookups } = setUp()
    await directory.get('a')
    await clock.advance({ ms: 999 })
    expect(await directory.get('a')).toMatchObject({ name: 'named 1' })
    await clock.advance({ ms: 1 })
    expect(await directory.get('a')).toMatchObject({ name: 'named 2' })
    expect(lookups).toHaveLength(2)
  })

  it('keeps an agent for no longer when the clock steps back', async () => {
    const { directory, setBack } = setUp()
    await directory.get('a')
    setBack(60_000)
    expect(await directory.get('a')).toMatchObject({ name: 'named 2' })
  })

  it('discards a lookup that began before a change', async () => {
    const { directory, delay } = setUp()
    let answer = (): void => undefined
    delay(
      new Promise((resolve) => {
        answer = resolve
      }),
    )
    const early = directory.get('a')
    await Promise.resolve()
    await Promise.resolve()
    directory.forget('a')
    answer()
    expect(await early).toMatchObject({ name: 'named 1' })
    expect(await directory.get('a')).toMatchObject({ name: 'named 2' })
    directory.forget('a')
    expect(await directory.get('a')).toMatchObject({ name: 'named 3' })
  })
})
