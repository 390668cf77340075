import type { Task, TaskContext } from '@taskboard/core'
import { mixSeeds, randomness, type Randomness } from './randomness.js'
import type { ProcessState, World } from './world.js'

/** What the checks learn from the code of agents. */
export interface RunWatch {
  began(task: Task, context: TaskContext): void
  /** The agent does what was approved. */
  actsOn(approvalId: string, fencingToken: number): void
}

const MINUTE_MS = 60_000

/** The code of an agent: a few things in an order that follows from the task and the attempt, and then a result. */
export function agentCode(world: World, process: ProcessState, watch: RunWatch) {
  /** The next thing that the agent does happens at its own time. */
  const thinks = (): Promise<void> =>
    new Promise((resolve) => world.push({ process, label: `${process.name}: an agent`, run: resolve }))

  return async (task: Task, context: TaskContext): Promise<string> => {
    const random = randomness(mixSeeds(seedOf(task.title), context.claim.fencingToken))
    watch.began(task, context)
    await startJob(seedOf(task.title), context, watch)
    for (let left = random.below(4); left > 0; left--) {
      await thinks()
      await act(random, task, context, watch)
    }
    await thinks()
    return `result of ${context.claim.fencingToken}`
  }
}

/** The number in the title of a task, so that it does the same in a history with fewer steps. */
function seedOf(title: string): number {
  return Number(/\d+/.exec(title)?.[0] ?? 0)
}

/** Some tasks need leave or an answer, at each attempt. */
async function startJob(seed: number, context: TaskContext, watch: RunWatch): Promise<void> {
  if (seed % 4 === 0) return pay(seed >> 2, context, watch)
  if (seed % 4 === 1 && context.claim.answer === null) await context.ask('which one?')
}

async function pay(number: number, context: TaskContext, watch: RunWatch): Promise<void> {
  const request = { action: 'pay', summary: 'Pay the bill', input: { cents: number % 2 } }
  const answer = await context.approval(request)
  if (answer.decision === 'approved') watch.actsOn(answer.approvalId, context.claim.fencingToken)
}

async function act(random: Randomness, task: Task, context: TaskContext, watch: RunWatch): Promise<void> {
  switch (random.below(14)) {
    case 0:
    case 1:
      return context.sleep(random.pick([100, 5_000, MINUTE_MS, 3 * MINUTE_MS]))
    case 2:
    case 3:
      return context.progress(random.below(101))
    case 4:
      return context.log('a line')
    case 5:
      return context.output({ type: 'link', name: 'a report', url: 'https://example.com/' })
    case 6:
    case 7:
      return context.usage({ model: 'small', inputTokens: 10 * random.below(10), outputTokens: 5 })
    case 8:
      return context.claim.answer === null ? context.ask('which one?') : undefined
    case 9:
    case 10:
      return pay(random.below(2), context, watch)
    case 11:
      if (task.parentId !== null) return
      await context.delegate([{ title: `part ${random.below(1_000)}` }], { wait: random.chance(0.5) })
      return
    case 12:
      return context.alert('look here')
    default:
      throw Object.assign(new Error('a fault of the agent'), random.chance(0.3) ? { retry: false } : {})
  }
}
