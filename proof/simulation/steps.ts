import { randomness, type Randomness } from './randomness.js'
import { agentTypes, type Setup } from './setup.js'

/** What a step does, and how often it is drawn compared with the others. */
export const stepWeights = {
  add: 14,
  'add-list': 2,
  'add-once': 3,
  claim: 6,
  write: 11,
  move: 3,
  hold: 2,
  cancel: 1,
  release: 3,
  delete: 2,
  assign: 4,
  edit: 3,
  answer: 3,
  decide: 5,
  comment: 1,
  usage: 2,
  transaction: 3,
  schedule: 4,
  'change-schedule': 1,
  request: 5,
  read: 3,
  'stop-reading': 2,
  kill: 2,
  start: 3,
  stop: 1,
  pause: 2,
  resume: 2,
  fail: 4,
  die: 2,
  jump: 1,
  wait: 14,
  settle: 10,
} as const satisfies Readonly<Record<string, number>>

export type StepKind = keyof typeof stepWeights

/**
 * One step of a history. It names processes, tasks and so on by numbers that are taken modulo how many there are, so that the step still means
 * something when others are left out.
 */
export interface Step {
  readonly kind: StepKind
  readonly who: number
  readonly what: number
  readonly how: number
  /** Draws all that happens during the step. */
  readonly chaos: number
  /** How many of the pending things happen behind the step. */
  readonly happenings: number
}

export interface History {
  readonly seed: number
  readonly setup: Setup
  readonly steps: readonly Step[]
}

const kinds = Object.keys(stepWeights) as StepKind[]
/** Without these nothing happens. The others are left out of some histories, which makes room for what remains. */
const always: readonly StepKind[] = ['add', 'wait', 'settle']
const defaultLadder = [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000]
const FEWEST_STEPS = 5
const MOST_STEPS = 22

/** The history of a seed. */
export function drawHistory(seed: number): History {
  const random = randomness(seed)
  const setup = drawSetup(random)
  const enabled = kinds.filter((kind) => always.includes(kind) || random.chance(0.6))
  const bag = enabled.flatMap((kind) => Array.from({ length: stepWeights[kind] }, () => kind))
  const count = FEWEST_STEPS + random.below(MOST_STEPS - FEWEST_STEPS)
  const steps = Array.from({ length: count }, (): Step => ({
    kind: random.pick(bag),
    who: random.below(1_000),
    what: random.below(1_000),
    how: random.below(1_000_000),
    chaos: random.fork(),
    happenings: random.pick([0, 1, 2, 4, 8, 20, 60]),
  }))
  return { seed, setup, steps }
}

function drawSetup(random: Randomness): Setup {
  // In some, only agents outside of the processes work.
  const served = agentTypes.slice(0, random.pick([0, 0, 1, 1, 1, 2]))
  const runtimes = () => served.map((type) => ({ type, concurrency: 1 + random.below(2) }))
  const workspaces = 1 + random.below(2)
  const notifications = random.pick(['own', 'own', 'own', 'all', 'some'] as const)
  return {
    notifications,
    processes: Array.from({ length: notifications === 'own' ? 1 : random.pick([2, 2, 2, 3]) }, runtimes),
    retryDelaysMs: notifications === 'own' && random.chance(0.1) ? defaultLadder : [60_000, 300_000],
    workspaces,
    leaseMs: random.pick([10_000, 60_000]),
    receiverFailures: Array.from({ length: workspaces }, () => random.pick([0, 30, 30, 100])),
    maxAttempts: random.pick([1, 2, 3]),
    requestsPerMinute: random.pick([1, 2, 5]),
  }
}

/** A step in words, for people. */
export function describeStep({ kind, who, what, how, happenings }: Step): string {
  return `${kind} (who ${who}, what ${what}, how ${how}), then ${happenings} happenings`
}
