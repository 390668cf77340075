import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { context, ROOT_CONTEXT } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { TaskboardOptions, Telemetry } from '@taskboard/core'
import { taskboardRouter } from '@taskboard/express'
import { migrate, openPglite, postgresStorage } from '@taskboard/postgres'
import express from 'express'
import { makeBenchBoard, newTask } from '@taskboard/kit/bench/bench-board'
import { announce, compare } from '@taskboard/kit/bench/http-load'
import { otelTelemetry } from '../src/index.js'

/**
 * What a request costs with telemetry that records every span and exports to nowhere, over one without: on PGlite, in whose process all of a
 * request's work is done, and in memory, where nothing hides the difference. The context manager of an SDK alone slows down all promises of
 * a process, so that one floor in memory has it, too.
 */
async function serve(options: Partial<TaskboardOptions>): Promise<void> {
  const { taskboard, keys } = await makeBenchBoard(options)
  const server = createServer(express().use(taskboardRouter(taskboard)))
  server.listen(0, '127.0.0.1', () => {
    announce({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys })
  })
}

function startContexts(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  // With its first context, Node.js begins to follow promises.
  context.with(ROOT_CONTEXT, () => undefined)
}

function recorded(): Telemetry {
  const exporter: SpanExporter = {
    export: (_spans, done) => done({ code: 0 }),
    shutdown: () => Promise.resolve(),
  }
  startContexts()
  return otelTelemetry({
    tracerProvider: new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }),
  })
}

async function onPglite(): Promise<Pick<TaskboardOptions, 'storage' | 'secrets'>> {
  const { pool } = await openPglite(await mkdtemp(join(tmpdir(), 'taskboard-bench-')))
  await migrate(pool)
  return { storage: postgresStorage({ pool }), secrets: { encryptionKey: randomBytes(32) } }
}

const subjects: Readonly<Record<string, () => Promise<void>>> = {
  recorded: () => serve({ telemetry: recorded() }),
  unrecorded: () => serve({ telemetry: otelTelemetry() }),
  none: () => serve({}),
  contexts() {
    startContexts()
    return serve({})
  },
  'recorded-on-pglite': async () => serve({ ...(await onPglite()), telemetry: recorded() }),
  'contexts-on-pglite': async () => {
    startContexts()
    return serve(await onPglite())
  },
}

const GOAL = 0.95
const add = { name: 'add', path: '/api/board?action=add', body: JSON.stringify(newTask), goal: GOAL }
const file = fileURLToPath(import.meta.url)
const [, , subject = ''] = process.argv

if (subject in subjects) await subjects[subject]?.()
else {
  await compare(
    file,
    { name: 'on PGlite, every span recorded', serve: 'recorded-on-pglite' },
    [{ name: 'no telemetry', serve: 'contexts-on-pglite' }],
    [add],
  )
  await compare(
    file,
    { name: 'in memory, every span recorded', serve: 'recorded' },
    [
      { name: 'no telemetry', serve: 'contexts', goal: null },
      { name: 'no telemetry and no SDK', serve: 'none', goal: null },
      { name: 'telemetry without an SDK', serve: 'unrecorded', goal: null },
    ],
    [{ name: 'list of 20 tasks', path: '/api/board?action=doing', goal: GOAL }, add],
  )
}
