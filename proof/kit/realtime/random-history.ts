import { isTaskboardError, priorities, type Board, type Taskboard } from '@taskboard/core'
import fc from 'fast-check'

/** One command with numbers that choose what it is about. */
export interface Step {
  readonly verb: keyof typeof verbs
  readonly one: number
  readonly two: number
}

/** What the commands of a history have made so far. */
export interface History {
  readonly taskboard: Taskboard
  readonly board: Board
  readonly workspaceId: string
  /** Lets time pass, as far as the clock of the test can. */
  readonly pass: () => Promise<void>
  readonly tasks: string[]
  readonly agents: string[]
  readonly approvals: string[]
  /** The last fencing token of each task. */
  readonly tokens: Map<string, number>
}

type Verb = (history: History, one: number, two: number) => Promise<unknown>

const pick = <T>(values: readonly T[], n: number): T | undefined => values[n % values.length]
const taskOf = ({ tasks }: History, n: number): string => pick(tasks, n) ?? 'task_none'
const agentOf = ({ agents }: History, n: number): string => pick(agents, n) ?? 'agent_none'
const tokenOf = ({ tokens }: History, id: string): number => tokens.get(id) ?? 0
const types = [null, 'writer', 'painter', 'nobody has it']
const columns = ['TODO', 'DOING', 'DONE'] as const
const holds = ['needs_input', 'approval', 'budget', 'failed', 'cancelled'] as const
const DAY_MS = 86_400_000

async function add(history: History, one: number, two: number): Promise<void> {
  const { id } = await history.board.add({
    title: `task ${one % 7}`,
    description: pick([null, 'text'], two),
    priority: pick(priorities, one),
    type: pick(types, two),
    tags: two % 3 === 0 ? ['red'] : [],
    assignedTo: two % 4 === 0 ? agentOf(history, one) : null,
    dependsOn: two % 5 === 0 && history.tasks.length > 0 ? [taskOf(history, one)] : [],
    dueDate: one % 3 === 0 ? Date.UTC(2030, 0, 1) + two * DAY_MS : null,
    budget: one % 6 === 0 ? { tokens: 25 } : null,
    maxAttempts: 1 + (one % 3),
  })
  history.tasks.push(id)
}

async function claim(history: History, one: number): Promise<void> {
  const task = await history.board.claim({ agentId: agentOf(history, one), leaseMs: 60_000 })
  if (task?.lease == null) return
  history.tokens.set(task.id, task.lease.fencingToken)
}

/** A command of the agent that has a task, or of one that has lost it. */
const claimed =
  (work: (board: Board, id: string, fencingToken: number, one: number) => Promise<unknown>): Verb =>
  (history, one, two) => {
    const worked = [...history.tokens.keys()]
    const id = pick(worked.slice(-3), two) ?? taskOf(history, two)
    return work(history.board, id, tokenOf(history, id), one)
  }

const verbs = {
  add,
  async addAll({ board, tasks }, one) {
    const list = [{ title: `first ${one % 5}` }, { title: 'second', dependsOn: [0] }]
    tasks.push(...(await board.addAll(list)).map(({ id }) => id))
  },
  update(history, one, two) {
    const changes = [
      { title: `renamed ${one % 3}` },
      { description: pick([null, 'text', 'other'], one) ?? null, priority: pick(priorities, two) },
      { tags: pick([[], ['red'], ['red', 'blue']], one) ?? [] },
      { type: pick(types, one) ?? null },
      { assignedTo: pick([null, agentOf(history, one)], two) ?? null },
      { dependsOn: pick([[], [taskOf(history, one)]], two) ?? [] },
      { dueDate: pick([null, Date.UTC(2031, 0, 1)], two) ?? null },
    ]
    return history.board.update(taskOf(history, two), pick(changes, one) ?? {})
  },
  move: (history, one, two) => history.board.move(taskOf(history, one), pick(columns, two) ?? 'TODO'),
  hold: (history, one, two) =>
    history.board.hold(taskOf(history, one), { reason: pick(holds, two) ?? 'failed', message: `${two % 2}` }),
  cancel: (history, one) => history.board.cancel(taskOf(history, one)),
  release: (history, one) => history.board.release(taskOf(history, one)),
  delete: (history, one) => history.board.delete(taskOf(history, one)),
  claim,
  claimAgain: claim,
  heartbeat: claimed((board, id, fencingToken) => board.heartbeat(id, { fencingToken })),
  progress: claimed((board, id, fencingToken, one) =>
    board.progress(id, { fencingToken, progress: one % 101 }),
  ),
  log: claimed((board, id, fencingToken) => board.log(id, { fencingToken, message: 'line' })),
  usage: claimed((board, id, fencingToken) =>
    board.usage(id, { fencingToken, model: 'm', inputTokens: 9, outputTokens: 1 }),
  ),
  complete: claimed((board, id, fencingToken) => board.complete(id, { fencingToken, result: 'done' })),
  fail: claimed((board, id, fencingToken, one) =>
    board.fail(id, { fencingToken, reason: 'broken', retry: one % 2 === 0 }),
  ),
  holdClaimed: claimed((board, id, fencingToken, one) =>
    board.hold(id, { fencingToken, reason: pick(holds, one) ?? 'failed', message: null }),
  ),
  ask: claimed((board, id, fencingToken) => board.ask(id, { fencingToken, question: 'Which one?' })),
  answer: (history, one) => history.board.answer(taskOf(history, one), { body: 'That one.' }),
  comment: (history, one) => history.board.comment(taskOf(history, one), { body: 'Well.' }),
  async requestApproval(history, one, two) {
    const request = claimed((board, id, fencingToken) =>
      board.requestApproval(id, { action: 'refund', summary: 'Refund', input: one % 2, fencingToken }),
    )
    const { approval } = (await request(history, one, two)) as { readonly approval: { readonly id: string } }
    if (!history.approvals.includes(approval.id)) history.approvals.push(approval.id)
  },
  decide: ({ board, approvals }, one, two) =>
    board.decide(pick(approvals, one) ?? 'apr_none', { decision: two % 2 === 0 ? 'approved' : 'rejected' }),
  async delegate(history, one, two) {
    const split = claimed((board, id, fencingToken) =>
      board.delegate(id, { fencingToken, tasks: [{ title: 'a part' }], wait: one % 2 === 0 }),
    )
    const parts = (await split(history, one, two)) as readonly { readonly id: string }[]
    history.tasks.push(...parts.map(({ id }) => id))
  },
  async addAgent({ taskboard, workspaceId, agents }, one) {
    const type = pick(['writer', 'painter'], one) ?? 'writer'
    agents.push((await taskboard.agents.create(workspaceId, { name: type, type })).id)
  },
  async changeAgent(history, one, two) {
    const change = pick([{ paused: two % 2 === 0 }, { type: 'painter' }, { maxConcurrent: 1 }], one) ?? {}
    await history.taskboard.agents.update(history.workspaceId, agentOf(history, two), change)
  },
  async deleteAgent(history, one) {
    if (history.agents.length < 2) return
    const id = agentOf(history, one)
    await history.taskboard.agents.delete(history.workspaceId, id)
    history.agents.splice(history.agents.indexOf(id), 1)
  },
  pass: ({ pass }) => pass(),
} satisfies Record<string, Verb>

/** Random histories: some commands are refused, and change nothing. */
export const histories = (length: number): fc.Arbitrary<readonly Step[]> => {
  const names = Object.keys(verbs) as (keyof typeof verbs)[]
  const step = fc.record({
    verb: fc.constantFrom(...names, ...(['add', 'claim', 'claim', 'update'] as const)),
    one: fc.nat(1_000),
    two: fc.nat(1_000),
  })
  return fc.array(step, { minLength: 1, maxLength: length, size: 'max' })
}

/** Does one step. @throws any error but a refusal. */
export async function take(history: History, { verb, one, two }: Step): Promise<void> {
  try {
    await verbs[verb](history, one, two)
  } catch (error) {
    if (!isTaskboardError(error) || error.code === 'INTERNAL_ERROR') throw error
  }
}
