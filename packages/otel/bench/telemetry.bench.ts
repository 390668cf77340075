import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Telemetry } from '@taskboard/core'
import { taskboardRouter } from '@taskboard/express'
import express from 'express'
import { makeBenchBoard, newTask } from '../../testing/bench/bench-board.js'
import { announce, compare } from '../../testing/bench/http-load.js'
import { otelTelemetry } from '../src/index.js'

/**
 * What a request costs with telemetry, which records every span and exports to nowhere, over one without. The storage is in memory, so
 * that nothing hides the difference: on a database, a request takes several times as long.
 */
async function serve(telemetry: Telemetry | undefined): Promise<void> {
  const { taskboard, keys } = await makeBenchBoard({ telemetry })
  const server = createServer(express().use(taskboardRouter(taskboard)))
  server.listen(0, '127.0.0.1', () => {
    announce({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys })
  })
}

function recorded(): Telemetry {
  const exporter: SpanExporter = {
    export: (_spans, done) => done({ code: 0 }),
    shutdown: () => Promise.resolve(),
  }
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return otelTelemetry({
    tracerProvider: new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }),
  })
}

const GOAL = 0.95

if (process.argv[2] === 'recorded') await serve(recorded())
else if (process.argv[2] === 'unrecorded') await serve(otelTelemetry())
else if (process.argv[2] === 'none') await serve(undefined)
else {
  await compare(
    fileURLToPath(import.meta.url),
    { name: 'every span recorded', serve: 'recorded' },
    [
      { name: 'no telemetry', serve: 'none' },
      { name: 'telemetry without an SDK', serve: 'unrecorded', goal: null },
    ],
    [
      { name: 'list of 20 tasks', path: '/api/board?action=doing', goal: GOAL },
      { name: 'add', path: '/api/board?action=add', body: JSON.stringify(newTask), goal: GOAL },
    ],
  )
}
