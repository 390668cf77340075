import type { Task } from '@taskboard/core'
import { isReady } from '@taskboard/core/storage'
import { checkRest, everything, everyTask } from './rest-checks.js'
import { subscribedTypes, type Scene } from './scene.js'
import { require } from './violation.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** By then, what can end has ended. */
const LONGEST_ENDING = 24

/** Mends everything, lets time pass, and checks what has become of all that was promised. @throws Violation */
export async function endHistory(scene: Scene): Promise<void> {
  const { world, inner } = scene
  for (const { gate, state } of scene.processes()) {
    gate.disarm()
    if (state.state === 'paused') world.resume(state)
  }
  await world.happen(Infinity)
  await checkRest(scene)
  for (const { index, state, isStarted } of scene.processes())
    if (state.state === 'down' || !isStarted) scene.restart(index)
  await world.happen(Infinity)
  const call = { now: world.now }
  const { schedules } = await inner.schedules.listSchedules({ reach: null, limit: everything }, call)
  for (const { id: scheduleId, workspaceId } of schedules)
    await inner.schedules.deleteSchedule({ workspaceId, scheduleId }, call)
  await checkReaders(scene)
  await answerEverything(scene)
  for (let step = 0; step < LONGEST_ENDING; step++) {
    await world.advance(Math.min(2 ** step * MINUTE_MS, HOUR_MS))
    await checkRest(scene)
    if ((await unended(scene)) === null && (await undelivered(scene)) === null) break
  }
  const [open, pending] = [await unended(scene), await undelivered(scene)]
  require(open === null, 'no task is lost', () => open ?? '')
  require(pending === null, 'no delivery is lost', () => pending ?? '')
  await checkTasks(scene)
  await checkDeliveries(scene)
}

/** People answer once what agents have asked. */
async function answerEverything({ observer, world, ...scene }: Scene): Promise<void> {
  const [process] = scene.processes()
  if (process === undefined) return
  const answers = [
    ...[...observer.pendingApprovals].map(([approvalId, workspaceId]) =>
      process.taskboard.board(workspaceId).decide(approvalId, { decision: 'approved' }),
    ),
    ...[...observer.model.tasks.values()]
      .filter(({ isHeld }) => isHeld)
      .map(({ id, workspaceId }) => process.taskboard.board(workspaceId).answer(id, { body: 'that one' })),
  ]
  const settled = Promise.allSettled(answers)
  await world.happen(Infinity)
  await settled
}

/** What an agent should have ended, or begun. */
async function unended(scene: Scene): Promise<string | null> {
  const types = new Set(scene.setup.processes.flat().map(({ type }) => type))
  const { inner, world } = scene
  const agents = await inner.agents.listAgents({ reach: null }, { now: world.now })
  const isServed = ({ assignedTo, type }: Task): boolean => {
    const wanted = assignedTo === null ? type : agents.find(({ id }) => id === assignedTo)?.type
    return wanted == null ? types.size > 0 : types.has(wanted)
  }
  for (const task of await everyTask(scene)) {
    if (task.lease !== null) return `${task.title} is still worked`
    if (task.column !== 'TODO' || task.hold !== null || task.openDependencies > 0) continue
    if (isServed(task)) return `${task.title} still waits${isReady(task, world.now) ? '' : ', not ready'}`
  }
  return null
}

async function undelivered(scene: Scene): Promise<string | null> {
  for (const delivery of await everyDelivery(scene))
    if (delivery.status === 'pending')
      return `${delivery.id} still waits, after ${delivery.attemptCount} attempts`
  return null
}

async function everyDelivery({ inner, workspaceIds, world }: Scene) {
  const call = { now: world.now }
  const deliveries = []
  for (const workspaceId of workspaceIds)
    for (const { id } of await inner.webhooks.listWebhooks({ within: workspaceId }, call)) {
      const query = { workspaceId, webhookId: id, status: null, limit: everything, afterId: null } as const
      deliveries.push(...(await inner.webhooks.listDeliveries(query, call)))
    }
  return deliveries
}

/** The rows, the log and what callers know agree. */
async function checkTasks(scene: Scene): Promise<void> {
  const { model } = scene.observer
  const rows = await everyTask(scene)
  const known = new Map(rows.map((row) => [row.id, row]))
  for (const id of scene.acknowledged)
    require(known.has(id) || model.deleted.has(id), 'no task is lost', () => `${id} was acknowledged`)
  require(rows.length === model.tasks.size, 'the log has every change', () =>
    `${rows.length} tasks, ${model.tasks.size} in the log`)
  for (const row of rows) {
    const task = model.tasks.get(row.id)
    const isSame = task?.column === row.column && task.isHeld === (row.hold !== null)
    require(isSame, 'the log has every change', () =>
      `${row.title} is in ${row.column}, by the log in ${task?.column}`)
    const open = row.dependsOn.filter((id) => known.get(id)?.column !== 'DONE').length
    require(row.openDependencies === open, 'dependents are freed', () =>
      `${row.title} has ${row.openDependencies}, not ${open}`)
    const query = { within: row.workspaceId, taskId: row.id, parts: ['attempts', 'usage'] } as const
    const { attempts, usage } = await scene.inner.tasks.getTask(query, { now: scene.world.now })
    const isEnded = attempts.every(({ endedAt }) => endedAt !== null)
    require(isEnded, 'every attempt ends', () => row.title)
    require(attempts.length === row.fencingToken, 'every attempt is kept', () =>
      `${attempts.length} of ${row.fencingToken}`)
    const spent = usage.inputTokens + usage.outputTokens
    require(spent === task.spentTokens, 'usage counts once', () => `${spent}, not ${task.spentTokens}`)
  }
}

/** Each event was delivered, or is listed as failed, under one id with one body. */
async function checkDeliveries(scene: Scene): Promise<void> {
  const { observer, receivers, setup } = scene
  const deliveries = await everyDelivery(scene)
  const subscribed = observer.log.filter(({ type }) => subscribedTypes.some((each) => each === type))
  const events = deliveries.map(({ event }) => event.id).sort()
  const expected = subscribed.map(({ id }) => id).sort()
  require(events.join() === expected.join(), 'every event has a delivery', () =>
    `${events.length} for ${expected.length} events`)
  const known = new Map(deliveries.map((delivery) => [delivery.id, delivery]))
  const bodies = new Map<string, string>()
  const accepted = new Set<string>()
  for (const {
    deliveryId,
    body,
    at,
    accepted: isAccepted,
    process: { wasDisturbed },
  } of receivers.received) {
    require(known.has(deliveryId), 'no request is sent before its commit', () => deliveryId)
    require((bodies.get(deliveryId) ?? body) === body, 'an id has one body', () => deliveryId)
    bodies.set(deliveryId, body)
    const deliveredAt = observer.delivered.get(deliveryId) ?? Infinity
    require(at <= deliveredAt || wasDisturbed, 'what is delivered is not sent again', () => deliveryId)
    if (isAccepted) accepted.add(deliveryId)
  }
  const mostAttempts = setup.retryDelaysMs.length + 1
  for (const { id, status, attemptCount } of deliveries) {
    if (status === 'succeeded') require(accepted.has(id), 'success is real', () => id)
    if (status === 'failed' && attemptCount < mostAttempts) {
      const isGone = deliveries.some(
        ({ id: other, attempts }) => other === id && attempts.some((each) => each.status === 410),
      )
      require(isGone, 'no retry is lost', () => `${id} failed after ${attemptCount} attempts`)
    }
  }
}

function isSent(type: string): boolean {
  return type.startsWith('task.') || type.startsWith('approval.') || type === 'agent.status'
}

/** Readers that connect again have seen every event once. */
async function checkReaders(scene: Scene): Promise<void> {
  const { world, observer } = scene
  const [process] = scene.processes()
  if (process === undefined) return
  for (const reader of scene.readers) {
    if (reader.begin === null) continue
    reader.connect(process)
    await world.happen(Infinity)
    reader.disconnect()
    const expected = observer.log.filter(
      (event) =>
        event.workspaceId === reader.workspaceId && event.seq > (reader.begin ?? 0) && isSent(event.type),
    )
    const [seen, due] = [reader.seen.join(), expected.map(({ seq }) => seq).join()]
    require(seen === due && reader.faults.length === 0, 'a reader resumes where it was', () =>
      `saw ${seen}, not ${due} ${reader.faults.join()}`)
  }
  await world.happen(Infinity)
}
