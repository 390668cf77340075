import { defineAgent, type AgentDefinition, type Taskboard } from '@taskboard/core'
import { healthRoutes } from '@taskboard/core/transport'
import { taskboardRouter } from '@taskboard/express'
import { taskboardPlugin } from '@taskboard/fastify'
import { attachRealtime } from '@taskboard/ws'
import express from 'express'
import Fastify from 'fastify'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Role, Script } from './messages.js'
import { openBoard } from './open-board.js'
import { MODEL, performTask } from './perform-task.js'
import { observe, options, serve } from './process-program.js'

// One process of the board: the API, agents, or a deliverer.
const { name, databaseUrl, role } = options
const LEASE_MS = 1_500
const CONCURRENCY = 3
const AGAIN_MS = 200

function agentOf(type: string): AgentDefinition {
  return defineAgent({
    type,
    concurrency: CONCURRENCY,
    leaseMs: LEASE_MS,
    run: (task, context) =>
      performTask(
        {
          taskId: task.id,
          token: task.fencingToken,
          attempt: context.claim.attempt,
          answer: context.claim.answer?.body ?? null,
          script: JSON.parse(String(task.metadata['script'])) as Script,
          log: (message) => context.log(message),
          use: (inputTokens) => context.usage({ model: MODEL, inputTokens, outputTokens: 0 }),
          ask: (question) => context.ask(question),
          request: (action) => context.approval({ action, summary: `${action} ${task.title}`, input: null }),
          sleep: (ms) => context.sleep(ms),
          complete: (result) => context.board.complete(task.id, { fencingToken: task.fencingToken, result }),
        },
        name,
        observe,
      ),
  })
}

const serving = {
  async express(taskboard: Taskboard, port: number) {
    const app = express().use(taskboardRouter(taskboard as never, { routes: [healthRoutes(taskboard)] }))
    const server = app.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  },
  async fastify(taskboard: Taskboard, port: number) {
    const app = Fastify()
    await app.register(taskboardPlugin, { taskboard, routes: [healthRoutes(taskboard)] } as never)
    await app.listen({ port, host: '127.0.0.1' })
    return app.server
  },
}

const board = openBoard(databaseUrl, role.kind === 'agent' ? [agentOf(role.type)] : [])
const taskboard = board.taskboard as Taskboard

async function serveApi({ framework, port }: Extract<Role, { kind: 'api' }>): Promise<() => Promise<void>> {
  const server = await serving[framework](taskboard, port)
  attachRealtime(server, taskboard)
  return async () => {
    await board.close()
    server.close()
    server.closeAllConnections()
  }
}

/** As under a supervisor: the database may be away just now. */
async function start(): Promise<void> {
  for (;;) {
    try {
      return await taskboard.start()
    } catch {
      await sleep(AGAIN_MS)
    }
  }
}

const close = role.kind === 'api' ? await serveApi(role) : () => board.close()
if (role.kind === 'deliverer')
  taskboard.events.on('*', ({ workspaceId, seq }) =>
    observe({ kind: 'saw', reader: name, by: 'listener', workspaceId, seq }),
  )
await start()
serve(close)
