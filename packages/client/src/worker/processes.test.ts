import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { serveBoard } from '@taskboard/kit/hosts/board-host'
import { createClient } from '../index.js'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** A board, and a worker in a process that has claimed the only task. */
async function setUp() {
  const host = await serveBoard({
    attempts: { backoff: { baseMs: 1, factor: 1, maxMs: 1 } },
    createDefaultAgent: false,
  })
  cleanUps.push(host.close)
  const { url, key, taskboard, workspaceId, board } = host
  const { id: agentId } = await taskboard.agents.create(workspaceId, { name: 'Remote', type: 'remote' })
  const { id } = await board.add({ title: 'Translate the manual' })
  const results: string[] = []
  taskboard.events.on('task.completed', ({ data }) => results.push(data.result))
  const program = fileURLToPath(new URL('../../test/worker-process.ts', import.meta.url))
  const flags = ['--conditions=@taskboard/source', '--import', import.meta.resolve('tsx')]
  const child = spawn(process.execPath, [...flags, program, url, key, agentId], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  cleanUps.push(() => child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const printed = async (): Promise<string> => (await lines.next()).value ?? ''
  expect(await printed()).toBe('began 1')

  /** Works what the other worker loses. Resolves when the task is done. */
  async function takeOver(): Promise<readonly number[]> {
    const attempts: number[] = []
    const client = createClient({ baseUrl: url, key, WebSocket })
    const done = new Promise((resolve) => taskboard.events.once('task.completed', resolve))
    const worker = client.worker({
      agentId,
      pollMs: 200,
      run(_task, { claim }) {
        attempts.push(claim.attempt)
        expect(claim.earlierAttempts).toMatchObject([{ outcome: 'expired' }])
        return 'in time'
      },
    })
    await done
    await worker.stop()
    return attempts
  }
  return { child, printed, takeOver, results, board, id }
}

describe('a worker whose process', () => {
  it('is killed loses its task with the lease, and another one works it, once', async () => {
    const { child, takeOver, results, board, id } = await setUp()
    child.kill('SIGKILL')
    expect(await takeOver()).toEqual([2])
    expect(results).toEqual(['in time'])
    expect(await board.get(id)).toMatchObject({ column: 'DONE', result: 'in time' })
  })

  it('is paused past its lease writes nothing any more', async () => {
    const { child, printed, takeOver, results, board, id } = await setUp()
    child.kill('SIGSTOP')
    expect(await takeOver()).toEqual([2])
    child.kill('SIGCONT')
    child.kill('SIGUSR2')
    expect([await printed(), await printed()].toSorted()).toEqual(['aborted', 'refused 409'])
    expect(results).toEqual(['in time'])
    expect(await board.get(id)).toMatchObject({ column: 'DONE', result: 'in time' })
  })
})
