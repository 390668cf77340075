import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTaskboard, type Storage, type TaskboardOptions } from '@taskboard/core'
import { taskboardRouter } from '@taskboard/express'
import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher, virtualClock } from '@taskboard/testing'
import express from 'express'

export const OWNER = { email: 'ada@acme.example', password: 'correct horse battery', emailVerified: true }

/** What reached the server, as an access log has it. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
}

/** A board whose approvals people decide by links, on Express below `/kanban`. */
export async function serveDecisions(
  options: Partial<TaskboardOptions> = {},
  storage: Storage = memoryStorage(),
) {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clock = virtualClock(Date.UTC(2026, 0, 1))
  const taskboard = createTaskboard({
    storage,
    clock,
    tokens: { secret: 'x'.repeat(32) },
    passwordHasher: plainPasswordHasher,
    publicUrl: `${origin}/kanban`,
    logger: false,
    ...options,
  })
  const seen: Seen[] = []
  server.on(
    'request',
    express().use(
      '/kanban',
      (request, _response, next) => {
        seen.push({ method: request.method, url: request.originalUrl, headers: request.headers })
        next()
      },
      taskboardRouter(taskboard),
    ),
  )
  const { account, workspace, user } = await taskboard.accounts.create({
    name: 'Acme',
    tier: 'professional',
    owner: OWNER,
  })
  const board = taskboard.board(workspace.id)
  const agent = await taskboard.agents.create(workspace.id, { name: 'Clerk', type: 'clerk' })
  const userId = user?.id ?? ''

  return {
    origin,
    clock,
    taskboard,
    board,
    seen,
    userId,
    accountId: account.id,
    workspaceId: workspace.id,
    /** A task of which an agent asks to have a refund approved. */
    async ask(input: unknown = { order: 7, cents: 1_900 }) {
      const { id: taskId } = await board.add({ title: 'Answer the complaint' })
      const task = await board.claim({ agentId: agent.id, taskId })
      const request = { action: 'refund', summary: 'Refund 19.00 EUR', input }
      const fencingToken = task?.fencingToken ?? 0
      return (await board.requestApproval(taskId, { fencingToken, ...request })).approval
    },
    linkTo: async (approvalId: string, as = userId) =>
      (await taskboard.links.create({ workspaceId: workspace.id, approvalId, userId: as })).url,
    /** Who has decided an approval; null for nobody. */
    async decider(approvalId: string): Promise<string | null> {
      const reach = { accountId: account.id, workspaceIds: 'all' } as const
      return (await taskboard.approvals.find(reach, approvalId)).decidedBy?.id ?? null
    },
    async close(): Promise<void> {
      await taskboard.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
