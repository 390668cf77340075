import { isTaskboardError, type Asker, type Instant, type Storage, type Task } from '@taskboard/core'
import type { LoggedEvent, WebhookStore } from '@taskboard/core/storage'
import type { ExecutedVerb } from './gate.js'
import { createTaskModel, type ModelTask, type TaskModel } from './task-model.js'
import { require } from './violation.js'

/** Sees every call that the storage answers, and the log, and compares both with what is promised. */
export interface Observer {
  readonly model: TaskModel
  readonly log: readonly LoggedEvent[]
  readonly counts: Counts
  /** Deliveries whose success is stored, with the instant. */
  readonly delivered: ReadonlyMap<string, Instant>
  /** Deliveries that a process has claimed, or a dead one had. */
  readonly deliveryClaims: ReadonlyMap<string, { readonly until: Instant }>
  /** The approvals that wait for a decision, each with its workspace. */
  readonly pendingApprovals: ReadonlyMap<string, string>
  executed(verb: ExecutedVerb): void
  /** Follows what was committed since the last call. @throws Violation */
  catchUp(): Promise<void>
  watch(workspaceId: string): void
}

/** What has happened, so that histories in which nothing did are noticed. */
export interface Counts {
  claims: number
  completions: number
  refusedTokens: number
  usedApprovals: number
  answers: number
  occurrences: number
  refusedRequests: number
  expiries: number
}

type DeliveryClaim = Awaited<ReturnType<WebhookStore['claimDueDeliveries']>>
type DeliveryResult = Parameters<WebhookStore['recordDeliveryResults']>[0]['results'][number]

interface Proof {
  readonly taskId: string
  readonly fencingToken: number
  /** How long the write renews the lease; null as the claim asked, undefined for not at all. */
  readonly leaseMs: number | null | undefined
}

const PAGE = 1_000

export function createObserver(inner: Storage): Observer {
  const model = createTaskModel()
  const limits = createLimitModel()
  const log: LoggedEvent[] = []
  const heads = new Map<string, number>()
  const delivered = new Map<string, Instant>()
  const deliveryClaims = new Map<string, { readonly claimToken: string; readonly until: Instant }>()
  const pendingApprovals = new Map<string, string>()
  const decided = new Set<string>()
  const used = new Set<string>()
  const occurrences = new Map<string, Instant>()
  const once = new Map<string, string>()
  const counts: Counts = {
    claims: 0,
    completions: 0,
    refusedTokens: 0,
    usedApprovals: 0,
    answers: 0,
    occurrences: 0,
    refusedRequests: 0,
    expiries: 0,
  }
  let verbs: ExecutedVerb[] = []
  let isDirty = true
  inner.events.onCommit(() => (isDirty = true))

  async function readLog(): Promise<readonly LoggedEvent[]> {
    if (!isDirty) return []
    isDirty = false
    const fresh: LoggedEvent[] = []
    for (const [workspaceId, head] of heads) {
      const page = await inner.events.readEvents({ workspaceId, afterSeq: head, limit: PAGE }, { now: null })
      for (const [index, event] of page.entries()) {
        require(event.seq === head + index + 1, 'the log has no gap', () =>
          `${event.seq} follows ${head + index}`)
        fresh.push(event)
      }
      heads.set(workspaceId, head + page.length)
    }
    return fresh
  }

  /** Before the events of the write are followed. */
  function checkProof(verb: ExecutedVerb, proof: Proof): void {
    const task = model.tasks.get(proof.taskId)
    const isRefused = 'error' in verb.outcome
    if (task === undefined || verb.isInTransaction) return
    const isLive = holds(task, proof, verb.at)
    if (!isRefused) {
      const isRepeat = verb.name === 'tasks.completeTask' && task.doneBy?.fencingToken === proof.fencingToken
      require(isLive || isRepeat, 'no stale write is accepted', () =>
        `${verb.name} with the token ${proof.fencingToken} of ${task.title}, which has ${describe(task)} at ${verb.at}`)
      return
    }
    const { error } = verb.outcome as { error: unknown }
    if (!isTaskboardError(error, 'CONFLICT') || error.field !== 'fencingToken') return
    counts.refusedTokens += 1
    require(!isLive, 'the holder of a lease can write', () =>
      `${verb.name} was refused: ${task.title} has ${describe(task)} at ${verb.at}`)
  }

  function renew(at: Instant, { taskId, fencingToken, leaseMs }: Proof): void {
    const lease = model.tasks.get(taskId)?.lease
    if (leaseMs === undefined || lease?.fencingToken !== fencingToken) return
    lease.expiresAt = at + (leaseMs ?? lease.durationMs)
  }

  /** A report that spends the last of a budget ends the work on the task. */
  async function checkBudget(
    { id: taskId, workspaceId: within, title, spentTokens }: ModelTask,
    at: Instant,
  ): Promise<void> {
    const { task } = await inner.tasks.getTask({ within, taskId, parts: ['task'] }, { now: at })
    const limit = task.budget?.tokens ?? Infinity
    const isOver =
      spentTokens < limit ||
      task.column === 'DONE' ||
      task.hold !== null ||
      (task.column === 'DOING' && task.lease === null)
    require(isOver, 'a budget ends the work', () =>
      `${title} used ${spentTokens} of ${limit} tokens, and is in ${task.column}`)
  }

  /** After the events of the call are followed. */
  async function settle({ name, params, process, at }: ExecutedVerb, value: unknown): Promise<void> {
    switch (name) {
      case 'tasks.claimTasks':
        return claimed((value as { tasks: readonly Task[] }).tasks, (params as { target: object }).target)
      case 'tasks.completeTask': {
        counts.completions += 1
        const { next } = value as { next: { tasks: readonly Task[] } | null }
        return claimed(next?.tasks ?? [], (params as { next: object | null }).next ?? {})
      }
      case 'tasks.expireLeases':
        counts.expiries += (value as { expired: number }).expired
        return
      case 'approvals.decideApproval':
        decided.add(idOf(value))
        return
      case 'approvals.requestApproval': {
        const { outcome, approval } = value as { outcome: string; approval: { id: string; asker: Asker } }
        const { asker } = params as { asker: Asker }
        const isOwn = approval.asker.kind === asker.kind && approval.asker.owner === asker.owner
        require(isOwn, 'an approval is for its asker', () => approval.id)
        const renewal = proofOf({ name, params } as ExecutedVerb)
        if (outcome !== 'pending' && renewal !== null) renew(at, { ...renewal, leaseMs: null })
        if (outcome !== 'approved') return
        counts.usedApprovals += 1
        require(decided.has(approval.id), 'only what was approved is done', () => approval.id)
        require(!used.has(approval.id), 'an approval is used once', () => approval.id)
        used.add(approval.id)
        return
      }
      case 'schedules.makeOccurrence': {
        if (value === null) return
        const { scheduleId, nextAt } = params as { scheduleId: string; nextAt: Instant }
        counts.occurrences += 1
        const last = occurrences.get(scheduleId) ?? -Infinity
        require(nextAt > last, 'an occurrence is made once', () =>
          `${scheduleId} made ${nextAt} after ${last}`)
        require(nextAt <= at, 'no occurrence is made early', () => `${scheduleId} made ${nextAt} at ${at}`)
        occurrences.set(scheduleId, nextAt)
        return
      }
      case 'usage.recordUsage': {
        const created = value as {
          value: {
            id: string
            taskId: string
            inputTokens: number
            outputTokens: number
            total: { inputTokens: number; outputTokens: number }
          }
        }
        const { id, taskId, inputTokens, outputTokens, total } = created.value
        const task = model.tasks.get(taskId)
        if (task === undefined || once.has(id)) return
        once.set(id, id)
        task.spentTokens += inputTokens + outputTokens
        const sum = total.inputTokens + total.outputTokens
        require(sum === task.spentTokens, 'usage counts once', () =>
          `${task.title} has ${sum}, not ${task.spentTokens}`)
        return checkBudget(task, at)
      }
      case 'tasks.insertTask': {
        const { idempotency } = params as { idempotency: { key: string } | null }
        if (idempotency === null) return
        const id = idOf((value as { value: unknown }).value)
        const first = once.get(idempotency.key) ?? id
        require(first === id, 'a key creates once', () => `${idempotency.key} gave ${first} and ${id}`)
        once.set(idempotency.key, id)
        return
      }
      case 'webhooks.claimDueDeliveries': {
        const { claimMs } = params as { claimMs: number }
        for (const { delivery, claimToken } of (value as DeliveryClaim).deliveries)
          deliveryClaims.set(delivery.id, { claimToken, until: at + claimMs })
        return
      }
      case 'webhooks.recordDeliveryResults': {
        for (const { deliveryId, claimToken, outcome } of (params as { results: readonly DeliveryResult[] })
          .results) {
          const claim = deliveryClaims.get(deliveryId)
          // The storage ignores the result of a claim that has ended.
          if (claim?.claimToken !== claimToken || claim.until <= at) continue
          deliveryClaims.delete(deliveryId)
          if (outcome.kind === 'succeeded') delivered.set(deliveryId, at)
        }
        return
      }
      case 'limits.take':
        if (!limits.took(params, value, at)) counts.refusedRequests += 1
        return
      default:
    }
    function claimed(tasks: readonly Task[], target: object): void {
      const runtime = 'agentType' in target ? String(target.agentType) : null
      counts.claims += tasks.length
      for (const task of tasks) model.claimed({ task, process, runtime })
    }
  }

  return {
    model,
    log,
    counts,
    delivered,
    deliveryClaims,
    pendingApprovals,
    executed: (verb) => void verbs.push(verb),
    async catchUp() {
      if (verbs.length === 0 && !isDirty) return
      const batch = verbs
      verbs = []
      const events = await readLog()
      const [only] = batch
      const sole = batch.length === 1 && only !== undefined && !only.isInTransaction ? only : null
      // Of calls that waited for a transaction, it is not known which came first.
      const proof = sole === null ? null : proofOf(sole)
      if (sole !== null && proof !== null) checkProof(sole, proof)
      if (sole !== null && 'error' in sole.outcome) {
        // Agents report at any time.
        const own = events.filter(({ type }) => !type.startsWith('agent.'))
        require(own.length === 0, 'what fails leaves no event', () =>
          `${sole.name} failed, and left ${own.map(({ type }) => type).join()}`)
      }
      if (
        batch.length > 0 &&
        batch.every(({ isInTransaction, name }) => isInTransaction && name !== 'storage.transaction')
      ) {
        const own = events.filter(({ type }) => !type.startsWith('agent.'))
        require(own.length === 0, 'what is not committed leaves no event', () =>
          own.map(({ type }) => type).join())
      }
      for (const event of events) {
        if (event.type === 'task.commented' && event.data.kind === 'answer') counts.answers += 1
        if (event.type === 'approval.requested')
          pendingApprovals.set(event.data.approvalId, event.workspaceId)
        if (event.type === 'approval.decided') pendingApprovals.delete(event.data.approvalId)
        model.follow(event, sole?.name ?? null)
      }
      log.push(...events)
      for (const verb of batch) {
        if (!('value' in verb.outcome)) continue
        const renewed = proofOf(verb)
        if (renewed !== null) renew(verb.at, renewed)
        await settle(verb, verb.outcome.value)
      }
    },
    watch: (workspaceId) => void heads.set(workspaceId, 0),
  }
}

function holds({ lease }: ModelTask, { fencingToken }: Proof, at: Instant): boolean {
  return lease !== null && lease.fencingToken === fencingToken && lease.expiresAt > at
}

function describe({ lease, column }: ModelTask): string {
  return lease === null ? `no lease, in ${column}` : `${lease.fencingToken} until ${lease.expiresAt}`
}

function idOf(value: unknown): string {
  return (value as { id: string }).id
}

/** The claim that a call proves; null for a call without one. */
function proofOf({ name, params }: ExecutedVerb): Proof | null {
  const given = params as Record<string, Record<string, unknown> | undefined> & { leaseMs?: number | null }
  switch (name) {
    case 'tasks.changeTask': {
      const { command, target } = given
      if (typeof command?.['fencingToken'] !== 'number') return null
      const isRenewal = command['kind'] === 'renew' || command['kind'] === 'progress'
      const leaseMs = isRenewal ? (command['leaseMs'] as number | null) : undefined
      return { taskId: String(target?.['taskId']), fencingToken: command['fencingToken'], leaseMs }
    }
    case 'tasks.appendToTask':
      return proven(given['proof'], given.leaseMs)
    case 'tasks.completeTask':
    case 'approvals.requestApproval':
      return proven(given['proof'], undefined)
    case 'tasks.insertTasks': {
      const { split } = given
      if (split == null) return null
      const leaseMs = split['isWaiting'] === true ? undefined : (split['leaseMs'] as number | null)
      return proven(split['proof'] as Record<string, unknown>, leaseMs)
    }
    case 'usage.recordUsage':
      return typeof (params as Proof).fencingToken === 'number' ? (params as Proof) : null
    default:
      return null
  }
}

function proven(proof: Record<string, unknown> | undefined, leaseMs: number | null | undefined): Proof {
  return { taskId: String(proof?.['taskId']), fencingToken: Number(proof?.['fencingToken']), leaseMs }
}

/** Counts admitted requests by a list of all of them. */
interface LimitModel {
  /** Returns whether the request was admitted. @throws Violation */
  took(request: unknown, decision: unknown, at: Instant): boolean
}

interface RollingRequest {
  readonly key: string
  readonly limit: number
  readonly windowMs: number
}

interface RollingDecision {
  readonly allowed: boolean
  readonly retryAfterMs: number
}

function createLimitModel(): LimitModel {
  const admitted = new Map<string, Instant[]>()
  return {
    took(request, decision, at) {
      const { key, limit, windowMs } = request as RollingRequest
      const { allowed, retryAfterMs } = decision as RollingDecision
      const times = admitted.get(key) ?? []
      admitted.set(key, times)
      const within = times.filter((time) => time > at - windowMs)
      require(allowed === within.length < limit, 'a limit is exact', () =>
        `${key} was ${allowed ? 'admitted' : 'refused'} at ${at} with ${within.length} of ${limit} in its window`)
      if (allowed) {
        times.push(at)
        return true
      }
      const freeAt = (within[within.length - limit] ?? at) + windowMs
      require(at + retryAfterMs === freeAt, 'a refusal says how long to wait', () =>
        `${retryAfterMs}, not ${freeAt - at}`)
      return false
    },
  }
}
