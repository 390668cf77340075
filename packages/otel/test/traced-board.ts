import { createTaskboard, type AgentDefinition, type Storage, type TaskboardOptions } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { otelTelemetry, type OtelTelemetryOptions } from '../src/index.js'
import { otlpReceiver } from './otlp-receiver.js'
import { startSdk } from './sdk.js'

interface TracedBoardOptions extends Omit<TaskboardOptions, 'storage' | 'agents' | 'telemetry'> {
  readonly storage?: Storage
  readonly agents?: readonly AgentDefinition[]
  readonly otel?: OtelTelemetryOptions
}

/** A started task board in memory that reports to a receiver. */
export async function tracedBoard({ otel, ...options }: TracedBoardOptions = {}) {
  const collector = await otlpReceiver()
  const sdk = startSdk('board', collector.url)
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    logger: false,
    webhooks: { allow: ['127.0.0.0/8'] },
    ...options,
    telemetry: otelTelemetry({ ...sdk, ...otel }),
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  await taskboard.start()
  return {
    taskboard,
    sdk,
    collector,
    account,
    workspaceId: workspace.id,
    async close() {
      await taskboard.close()
      await sdk.stop()
      await collector.close()
    },
  }
}
