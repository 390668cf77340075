import { columns, type Task } from '@taskboard/core'
import { isReady } from '@taskboard/core/storage'
import type { BoardProcess } from './processes.js'
import type { Scene } from './scene.js'
import { require } from './violation.js'

/** What a loop of a process that polls waits at least. */
const leastDelayMs = 50
/** Enough for everything that a history makes. */
export const everything = 1_000

export async function everyTask({ inner, workspaceIds, world }: Scene): Promise<readonly Task[]> {
  const pages = await Promise.all(
    workspaceIds.flatMap((workspaceId) =>
      columns.map((column) =>
        inner.tasks.listTasks({ workspaceId, column, limit: everything, after: null }, { now: world.now }),
      ),
    ),
  )
  return pages.flatMap((page) => page.tasks)
}

/**
 * Whenever nothing more happens before time passes, whatever could be done now has been begun: a wake-up that is lost shows here. Where
 * notifications are only hints, polling makes up for them later, and where a call has failed, a retry does. @throws Violation
 */
export async function checkRest(scene: Scene): Promise<void> {
  const { world, observer } = scene
  await observer.catchUp()
  const awake = scene
    .processes()
    .filter(({ state, isStarted }) => state.state === 'up' && isStarted && state.faultedUntil <= world.now)
  const { notifications } = scene.setup
  if (notifications === 'some') return
  await checkTasks(scene, awake)
  // Where several processes write, leases and schedules are polled.
  if (awake.length > 0 && notifications === 'own') await checkDue(scene)
}

/** No task waits for an agent whose process has room. */
async function checkTasks(scene: Scene, awake: readonly BoardProcess[]): Promise<void> {
  const { world, inner, workspaceIds, observer } = scene
  const types = new Map<string, string>()
  for (const workspaceId of workspaceIds)
    for (const { id, type } of await inner.agents.listAgents(
      { reach: null, workspaceId },
      { now: world.now },
    ))
      types.set(id, type)
  const leases = [...observer.model.tasks.values()].flatMap(({ lease }) => lease ?? [])
  const free = new Set<string>()
  for (const { state, index } of awake)
    for (const { type, concurrency } of scene.setup.processes[index] ?? []) {
      const taken = leases.filter(({ process, runtime }) => process === state && runtime === type)
      if (taken.length < concurrency) free.add(type)
    }
  for (const task of await everyTask(scene)) {
    if (!isReady(task, world.now - leastDelayMs)) continue
    const type = task.assignedTo === null ? task.type : types.get(task.assignedTo)
    const served = type === null || type === undefined ? [...free][0] : free.has(type) ? type : undefined
    require(served === undefined, 'no wake-up is lost', () =>
      `${task.title} waits, and an agent of type ${served} is free`)
  }
}

/** No delivery and no occurrence is due. */
async function checkDue({ world, inner, workspaceIds, receivers, observer }: Scene): Promise<void> {
  const call = { now: world.now }
  for (const workspaceId of workspaceIds) {
    for (const { id, url, enabled } of await inner.webhooks.listWebhooks({ within: workspaceId }, call)) {
      if (!enabled || (receivers.waiting.get(url) ?? 0) > 0) continue
      const query = {
        workspaceId,
        webhookId: id,
        status: 'pending',
        limit: everything,
        afterId: null,
      } as const
      const due = (await inner.webhooks.listDeliveries(query, call)).find(
        ({ id: deliveryId, nextAttemptAt }) =>
          nextAttemptAt !== null &&
          Math.max(nextAttemptAt, observer.deliveryClaims.get(deliveryId)?.until ?? 0) <= world.now,
      )
      require(due === undefined, 'no wake-up is lost', () => `the delivery ${due?.id} is due`)
    }
  }
  const { schedules } = await inner.schedules.listSchedules({ isDue: true, limit: everything }, call)
  require(schedules.length === 0, 'no wake-up is lost', () =>
    `the occurrence of ${schedules[0]?.id} at ${schedules[0]?.nextAt} is due at ${world.now}`)
}
