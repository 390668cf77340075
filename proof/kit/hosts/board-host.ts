import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTaskboard, type Scope, type TaskboardOptions } from '@taskboard/core'
import { taskboardRouter } from '@taskboard/express'
import { memoryStorage } from '@taskboard/memory'
import { attachRealtime } from '@taskboard/ws'
import express from 'express'

/** Serves a board on Express with its realtime channel. */
export async function serveBoard(options: Partial<TaskboardOptions> = {}) {
  const storage = memoryStorage()
  const taskboard = createTaskboard({ storage, logger: false, ...options })
  const server = createServer(express().use(taskboardRouter(taskboard)) as never)
  attachRealtime(server, taskboard)
  await taskboard.start()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'enterprise' })
  const createKey = (scopes: readonly Scope[]) =>
    taskboard.accounts.createKey({ accountId: account.id, name: 'key', scopes: [...scopes] })
  const { key } = await createKey(['tasks:read', 'tasks:write', 'agents:read'])
  return {
    taskboard,
    storage,
    server,
    accountId: account.id,
    workspaceId: workspace.id,
    board: taskboard.board(workspace.id),
    key,
    createKey,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      await taskboard.close({ drainTimeoutMs: 0 })
      server.close()
      server.closeAllConnections()
    },
  }
}

export type BoardHost = Awaited<ReturnType<typeof serveBoard>>
