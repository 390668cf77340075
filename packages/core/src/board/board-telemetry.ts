import type { Environment, Instant, Telemetry } from '../environment/index.js'
import type { Created } from '../idempotency/index.js'
import type { UsageReport } from '../usage/index.js'
import type { NewTask, Task } from './task.js'

/** Adds tasks within a span, and has them keep its trace. */
export function addWithinSpan<Value extends Task | readonly Task[], New extends NewTask>(
  telemetry: Telemetry,
  workspaceId: string,
  tasks: readonly New[],
  insert: (tasks: readonly New[]) => Promise<Created<Value>>,
): Promise<Created<Value>> {
  return telemetry.span({ kind: 'add', workspaceId, count: tasks.length }, async (span) => {
    const { traceparent } = span
    const created = await insert(
      traceparent === null ? tasks : tasks.map((task) => ({ ...task, traceparent })),
    )
    const { value } = created
    span.set({ taskIds: 'id' in value ? [value.id] : value.map(({ id }) => id) })
    return created
  })
}

/** Reports a claim that began at `startedAt`, by the process's clock. One that found nothing isn't reported. */
export function reportClaim(
  { telemetry, clock }: Environment,
  tasks: readonly Task[],
  { agentType, startedAt }: { readonly agentType: string | null; readonly startedAt: Instant },
): void {
  if (telemetry === null || tasks.length === 0) return
  telemetry.span({ kind: 'claim', agentType, tookMs: clock.now() - startedAt, tasks }, () => undefined)
  for (const { fencingToken, createdAt, updatedAt } of tasks) {
    const isFirst = fencingToken === 1
    if (isFirst) telemetry.measure({ kind: 'claim', agentType, waitedMs: Math.max(0, updatedAt - createdAt) })
  }
}

/** Reports that an agent outside of the runtimes has finished its work on a task. */
export function reportRemoteRun(
  { telemetry }: Environment,
  { startedAt, updatedAt }: Task,
  outcome: 'completed' | 'failed' | 'postponed',
): void {
  if (telemetry === null || startedAt === null) return
  telemetry.measure({ kind: 'run', agentType: null, outcome, tookMs: Math.max(0, updatedAt - startedAt) })
}

/** Reports usage that was counted. */
export function reportUsage({ telemetry }: Environment, report: UsageReport): void {
  telemetry?.measure({ kind: 'usage', ...report })
}
