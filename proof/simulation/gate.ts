import { TaskboardError, type Instant, type Storage } from '@taskboard/core'
import type { Notifications } from './setup.js'
import type { ProcessState, World } from './world.js'

/** A call that the storage has answered. */
export interface ExecutedVerb {
  readonly process: ProcessState
  /** `tasks.claimTasks` */
  readonly name: string
  readonly params: unknown
  readonly at: Instant
  /** Whether it is part of a host's transaction, which may still roll back. */
  readonly isInTransaction: boolean
  readonly outcome: { readonly value: unknown } | { readonly error: unknown }
}

/** What goes wrong with a call: it fails before or after its commit, or its process dies there. */
export type FaultKind = 'fails-before' | 'fails-after' | 'dies-before' | 'dies-after'

interface ArmedFault {
  readonly kind: FaultKind
  /** How many calls pass before. */
  skips: number
}

/** The way of one process to the shared storage. Each call, and each answer, is something that happens at its own time. */
export interface Gate {
  readonly process: ProcessState
  readonly storage: Storage
  arm(kind: FaultKind, skips: number): void
  disarm(): void
  /** Rolls back the open transactions, as a lost connection does. */
  abortTransactions(): void
}

/** What all processes share. */
export interface SharedStorage {
  readonly world: World
  readonly inner: Storage
  readonly notifications: Notifications
  /** Whether calls of others may run between those of a transaction. */
  readonly interleavesTransactions: boolean
  readonly executed: (verb: ExecutedVerb) => void
  /** While it is on, commits notify nobody. */
  readonly quiet: { isOn: boolean }
  /** The calls that run now. */
  readonly inFlight: Set<Promise<unknown>>
}

/** How long a loop or a run waits at most before it tries a failed call again. */
const LOST = 'the connection was lost'
const LONGEST_RETRY_MS = 6_000
const LOST_NOTIFICATIONS = 0.2
const DOUBLE_NOTIFICATIONS = 0.1
/** Reads have no effect: most of them need no place of their own in the order of what happens. */
const READS = /\.(get|list|read|search|find|sum|check|feed)/
/** Housekeeping that no promise here depends on has none either. */
const HOUSEKEEPING =
  /^(realtime|analytics|access)\.|\.(prune|keepKeyCheck|settleTasks|announceAgents|reportPresence)$/
const READS_IN_ORDER = 0.15
const ANSWERS_AT_ONCE = 0.75

const stores = [
  'bots',
  'tasks',
  'comments',
  'approvals',
  'links',
  'agents',
  'analytics',
  'events',
  'notifications',
  'channels',
  'webhooks',
  'limits',
  'quotas',
  'access',
  'realtime',
  'sessions',
  'schedules',
  'usage',
  'audit',
] as const

type Verb = (...args: unknown[]) => Promise<unknown>
type CommitListener = Parameters<Storage['events']['onCommit']>[0]

export function createGate(shared: SharedStorage, process: ProcessState, onDeath: () => void): Gate {
  const { world, inner, inFlight } = shared
  const faults: ArmedFault[] = []
  const aborts = new Set<(reason: Error) => void>()

  function takeFault(): FaultKind | null {
    for (const fault of faults) fault.skips -= 1
    const index = faults.findIndex(({ skips }) => skips < 0)
    return index < 0 ? null : (faults.splice(index, 1)[0] as ArmedFault).kind
  }

  function noteFault(): TaskboardError {
    process.faultedUntil = world.now + LONGEST_RETRY_MS
    return new TaskboardError('SERVICE_UNAVAILABLE', 'the storage failed, as planned')
  }

  /** Runs a call, and reports it with its outcome. */
  function execute(name: string, args: readonly unknown[], verb: Verb): Promise<unknown> {
    const at = world.now
    const isInTransaction = isBound(args)
    const report = (outcome: ExecutedVerb['outcome']): void => {
      world.trace?.(`  ${process.name}: ${name} = ${brief(outcome)}`)
      shared.executed({ process, name, params: args[0], at, isInTransaction, outcome })
    }
    const run = verb(...atTimeOf(world, args)).then(
      (value) => {
        inFlight.delete(run)
        report({ value })
        return value
      },
      (error: unknown) => {
        inFlight.delete(run)
        report({ error })
        throw error
      },
    )
    inFlight.add(run)
    return run
  }

  function request(name: string, args: readonly unknown[], verb: Verb): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const answer = (label: string, settle: () => void): void => {
        if (process.state === 'up' && world.random.chance(ANSWERS_AT_ONCE)) return settle()
        world.push({ process, label: `${process.name}: ${label} ${name}`, run: settle })
      }
      const arrive = (fault: FaultKind | null): void => {
        if (fault === 'fails-before') return answer('no answer to', () => reject(noteFault()))
        const run = execute(name, args, verb)
        if (fault === 'dies-after') onDeath()
        if (fault === 'fails-after')
          run.catch(() => undefined).finally(() => answer('lost the answer to', () => reject(noteFault())))
        else
          run.then(
            (value) => answer('answer to', () => resolve(value)),
            (error: Error) => answer('refusal of', () => reject(error)),
          )
      }
      world.push({
        process,
        label: `${process.name}: ${name}`,
        run() {
          const fault = takeFault()
          if (fault !== null) world.trace?.(`  ${fault}`)
          if (fault === 'dies-before') onDeath()
          else arrive(fault)
        },
        orphaned() {
          if (!isBound(args) && world.random.chance(0.5)) execute(name, args, verb).catch(() => undefined)
        },
      })
    })
  }

  function gated(name: string, verb: Verb): Verb {
    const isAside = HOUSEKEEPING.test(name)
    const isRead = isAside || READS.test(name)
    return (...args) => {
      if (process.state === 'down') return new Promise(() => undefined)
      if (isRuntimeReport(name, args)) return quietly(() => verb(...atTimeOf(world, args)))
      if (isRead && (isAside || !world.random.chance(READS_IN_ORDER)) && process.state === 'up')
        return verb(...atTimeOf(world, args))
      if (!shared.interleavesTransactions && isBound(args)) return execute(name, args, verb)
      return request(name, args, verb)
    }
  }

  /** Of the reports that a process repeats all the time, a database notifies nobody. */
  async function quietly(work: () => Promise<unknown>): Promise<unknown> {
    shared.quiet.isOn = true
    const answer = work()
    // Memory notifies in the next microtask.
    await Promise.resolve()
    shared.quiet.isOn = false
    return answer
  }

  function gatedVerb<Name extends 'check' | 'prune' | 'keepKeyCheck' | 'saveIdempotentResponse'>(
    name: Name,
  ): Storage[Name] {
    return gated(`storage.${name}`, inner[name].bind(inner) as unknown as Verb) as unknown as Storage[Name]
  }

  const hub = createCommitHub(shared, process)
  const transaction = gated('storage.transaction', (work) =>
    inner.transaction(async (tx) => {
      // It waited for another one, in which its process died.
      if (process.state === 'down') throw new Error(LOST)
      let abort: (reason: Error) => void = () => undefined
      const aborted = new Promise<never>((_, reject) => (abort = reject))
      aborts.add(abort)
      try {
        return await Promise.race([(work as (tx: unknown) => Promise<unknown>)(tx), aborted])
      } finally {
        aborts.delete(abort)
      }
    }),
  ) as Storage['transaction']
  const whole: Omit<Storage, (typeof stores)[number]> = {
    name: inner.name,
    durable: inner.durable,
    commitNotifications: shared.notifications === 'own' ? 'complete' : 'hints',
    bind: () => undefined,
    open: () => Promise.resolve(),
    close: () => Promise.resolve(),
    check: gatedVerb('check'),
    prune: gatedVerb('prune'),
    keepKeyCheck: gatedVerb('keepKeyCheck'),
    saveIdempotentResponse: gatedVerb('saveIdempotentResponse'),
    transaction,
    inOneCommit: (call, work) =>
      call.tx === undefined ? transaction((tx) => work({ ...call, tx })) : work(call),
  }
  /** What answers at once. All processes share one storage, which cannot tell whose commit it is, so that none claims what it adds. */
  const ungated: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    events: { onCommit: hub.listen, onTaskLog: () => () => undefined },
    webhooks: { claimNewDeliveries: () => () => undefined },
  }
  const storage: Record<string, unknown> = { ...whole }
  for (const name of stores) {
    storage[name] = gatedStore(name, inner[name], ungated[name] ?? {}, gated)
  }

  return {
    process,
    storage: storage as unknown as Storage,
    arm: (kind, skips) => void faults.push({ kind, skips }),
    disarm: () => void faults.splice(0),
    abortTransactions() {
      for (const abort of aborts) abort(new Error(LOST))
    },
  }
}

/** What fits on a line. */
function brief(outcome: ExecutedVerb['outcome']): string {
  const text = 'value' in outcome ? JSON.stringify(outcome.value) : String(outcome.error)
  return (text ?? 'done').slice(0, 200)
}

function isRuntimeReport(name: string, args: readonly unknown[]): boolean {
  return name === 'agents.reportPresence' && 'agentTypes' in (args[0] as object)
}

/** The time of the storage is the world's, as that of a database server is its own. */
function atTimeOf({ now }: World, args: readonly unknown[]): readonly unknown[] {
  const call = args.at(-1)
  const hasTime = typeof call === 'object' && call !== null && 'now' in call
  return hasTime ? [...args.slice(0, -1), { ...call, now }] : args
}

/** Whether a call is part of a transaction, which dies with its process. */
function isBound(args: readonly unknown[]): boolean {
  return (args.at(-1) as { tx?: unknown } | undefined)?.tx !== undefined
}

function gatedStore(
  name: string,
  store: object,
  own: Readonly<Record<string, unknown>>,
  gated: (name: string, verb: Verb) => Verb,
): unknown {
  const verbs: Record<string | symbol, unknown> = { ...own }
  return new Proxy(store, {
    get(target, verb) {
      return (verbs[verb] ??= gated(
        `${name}.${String(verb)}`,
        (Reflect.get(target, verb) as Verb).bind(target),
      ))
    },
  })
}

/** Passes commits on to the listeners of a process. Those that wait are one notification, as with NOTIFY. */
function createCommitHub({ world, inner, notifications, quiet }: SharedStorage, process: ProcessState) {
  const listeners = new Set<{ readonly call: CommitListener }>()
  let waiting = 0
  let revokes = false
  let isListening = false

  function notify(): void {
    waiting -= 1
    const commit = { revokes }
    if (waiting === 0) revokes = false
    for (const { call } of listeners) call(commit)
  }

  function push(): void {
    waiting += 1
    world.push({ process, label: `${process.name}: a notification`, run: notify })
  }

  function committed(commit: Parameters<CommitListener>[0]): void {
    if (process.state === 'down' || quiet.isOn) return
    const isLossy = notifications === 'some'
    if (isLossy && world.random.chance(LOST_NOTIFICATIONS)) return
    revokes ||= commit.revokes
    if (waiting === 0) push()
    if (isLossy && world.random.chance(DOUBLE_NOTIFICATIONS)) push()
  }

  return {
    listen(call: CommitListener): () => void {
      const entry = { call }
      listeners.add(entry)
      if (!isListening) inner.events.onCommit(committed)
      isListening = true
      return () => void listeners.delete(entry)
    },
  }
}
