import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { TaskboardError } from '../../errors/index.js'
import type { Storage } from '../../storage/index.js'
import { createTaskboard } from '../../wiring/taskboard.js'
import { toFetchHandler } from '../fetch-handler.js'

async function listWith(failure: Error) {
  const stored = memoryStorage()
  const listTasks = () => Promise.reject(failure)
  const storage: Storage = { ...stored, tasks: { ...stored.tasks, listTasks } }
  const lines: unknown[] = []
  const note = (level: string) => (fields: object, message: string) => {
    const { err } = fields as { err?: Error }
    lines.push([level, message, err?.stack === failure.stack])
  }
  const nothing = (): void => undefined
  const logger = {
    debug: nothing,
    info: nothing,
    warn: note('warn'),
    error: note('error'),
    fatal: note('fatal'),
  }
  const taskboard = createTaskboard({ storage, logger })
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  const newKey = { workspaceId: workspace.id, name: 'key', scopes: ['tasks:read' as const] }
  const { key } = await taskboard.accounts.createKey(newKey)
  const headers = { authorization: `Bearer ${key}` }
  const request = new Request('http://host.example/api/board?action=todo', { headers })
  const { status } = await toFetchHandler(taskboard)(request)
  return { status, lines }
}

describe('a request that fails', () => {
  it('is logged when the storage is unavailable', async () => {
    const away = new TaskboardError('SERVICE_UNAVAILABLE', 'the storage cannot be reached')
    const line = ['warn', 'a request could not be served', true]
    expect(await listWith(away)).toEqual({ status: 503, lines: [line] })
  })

  it('is logged on an internal error', async () => {
    const line = ['error', 'a request failed', true]
    expect(await listWith(new TypeError('oops'))).toEqual({ status: 500, lines: [line] })
  })

  it('is not logged on an error of the caller', async () => {
    const blamed = new TaskboardError('INVALID_FIELD', 'cursor is odd', { field: 'cursor' })
    expect(await listWith(blamed)).toEqual({ status: 400, lines: [] })
  })
})
