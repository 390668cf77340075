import { createTaskboard, defineAgent, type Principal, type Taskboard } from '@taskboard/core'
import { agentCode, type RunWatch } from './agent-code.js'
import { createGate, type Gate, type SharedStorage } from './gate.js'
import { randomness } from './randomness.js'
import type { Receivers } from './receivers.js'
import type { Setup } from './setup.js'
import type { ProcessState } from './world.js'

/** One start of a process. */
export interface BoardProcess {
  readonly index: number
  readonly gate: Gate
  readonly state: ProcessState
  readonly taskboard: Taskboard
  isStarted: boolean
  kill(): void
}

export interface ProcessParts {
  readonly shared: SharedStorage
  readonly receivers: Receivers
  readonly setup: Setup
  readonly watch: RunWatch
  /** Who reads the realtime channel. */
  readonly principal: () => Principal | null
}

const ENCRYPTION_KEY = '07'.repeat(32)
const POLL_MS = 300_000
const HOUR_MS = 3_600_000

/** Starts a process: a board of its own on the shared storage. */
export function startProcess(
  { shared, receivers, setup, watch, principal }: ProcessParts,
  index: number,
  generation: number,
): BoardProcess {
  const { world } = shared
  const state: ProcessState = {
    name: `process ${index}.${generation}`,
    state: 'up',
    offsetMs: 0,
    faultedUntil: 0,
    wasDisturbed: false,
  }
  const gate = createGate(shared, state, () => process.kill())
  const chance = randomness(1_000 * index + generation)
  const taskboard = createTaskboard({
    storage: gate.storage,
    clock: world.clockOf(state),
    logger: false,
    random: {
      bytes: (size) => Uint8Array.from({ length: size }, () => chance.below(256)),
      fraction: () => world.random.below(1_000) / 1_000,
    },
    agents: (setup.processes[index] ?? []).map(({ type, concurrency }) =>
      defineAgent({ type, concurrency, leaseMs: setup.leaseMs, run: agentCode(world, state, watch) }),
    ),
    secrets: { encryptionKey: ENCRYPTION_KEY },
    webhooks: {
      sender: receivers.senderOf(state),
      retryDelaysMs: setup.retryDelaysMs,
    },
    attempts: { max: setup.maxAttempts },
    limits: { boardPerMinute: setup.requestsPerMinute },
    pollIntervalMs: setup.notifications === 'all' ? HOUR_MS : POLL_MS,
    realtime: { recheckIntervalMs: HOUR_MS, heartbeatIntervalMs: HOUR_MS },
    authenticate: () => principal(),
  })
  const process: BoardProcess = {
    index,
    gate,
    state,
    taskboard,
    isStarted: false,
    kill() {
      if (state.state === 'down') return
      world.bury(state)
      gate.abortTransactions()
    },
  }
  taskboard.start().then(
    () => void (process.isStarted = true),
    () => process.kill(),
  )
  return process
}
