import { isTaskboardError, type Board, type Task } from '@taskboard/core'
import type { BoardProcess } from './processes.js'
import { checkRest } from './rest-checks.js'
import type { Scene } from './scene.js'
import type { Step, StepKind } from './steps.js'
import { Violation } from './violation.js'
import type { FaultKind } from './gate.js'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const PERSON = { kind: 'user', id: 'user_1' } as const
const KEYS = 3

/** What a caller may be answered. */
const expectedCodes: readonly string[] = [
  'CONFLICT',
  'TASK_NOT_FOUND',
  'NOT_FOUND',
  'SERVICE_UNAVAILABLE',
  'INVALID_FIELD',
]

type Perform = (scene: Scene, step: Step) => void | Promise<void>

/** Does what the step says, without waiting for the answer. */
export async function performStep(scene: Scene, step: Step): Promise<void> {
  await performers[step.kind](scene, step)
}

/** Calls a board of a process that runs, if there is one. */
function call(
  scene: Scene,
  step: Step,
  work: (board: Board, process: BoardProcess) => Promise<unknown>,
): void {
  const running = scene.processes().filter(({ state, isStarted }) => state.state === 'up' && isStarted)
  const process = running[step.who % Math.max(1, running.length)]
  const workspaceId = at(scene.workspaceIds, step.who)
  if (process === undefined || workspaceId === undefined) return
  expectCode(scene, work(process.taskboard.board(workspaceId), process))
}

function expectCode(scene: Scene, answer: Promise<unknown>): void {
  answer.catch((error: unknown) => {
    const isExpected = isTaskboardError(error) && expectedCodes.includes(error.code)
    const isLost = error instanceof Error && /connection was lost|rolled back on purpose/.test(error.message)
    if (!isExpected && !isLost) scene.report(new Violation('every error has a code', String(error)))
  })
}

/** One of the newest. */
function recent<T>(values: readonly T[], number: number): T | undefined {
  return values[values.length - 1 - (number % Math.min(8, Math.max(1, values.length)))]
}

function at<T>(values: readonly T[], number: number): T | undefined {
  return values[number % Math.max(1, values.length)]
}

/** Calls the board of a task. */
function onTask(scene: Scene, step: Step, work: (board: Board, taskId: string) => Promise<unknown>): void {
  const task = recent([...scene.observer.model.tasks.values()], step.what)
  if (task === undefined) return
  call(scene, step, (_, { taskboard }) => work(taskboard.board(task.workspaceId), task.id))
}

function taskInput(scene: Scene, { what, how }: Step) {
  const agentIds = scene.agentIds
  const ids = [...scene.observer.model.tasks.values()].filter(
    ({ workspaceId }) => workspaceId === scene.workspaceIds[0],
  )
  const chance = (divisor: number): boolean => how % divisor === 0
  return {
    title: `task ${how}`,
    priority: at(['low', 'medium', 'high', 'urgent'] as const, what) ?? null,
    assignedTo: chance(5) ? (at(agentIds, what) ?? null) : null,
    notBefore: chance(7) ? scene.world.now + 30 * SECOND_MS : null,
    dependsOn: chance(3) ? [recent(ids, what)?.id ?? ''].filter((id) => id !== '') : [],
    budget: chance(4) ? { tokens: 50 } : null,
    type: chance(11) ? 'writer' : null,
  }
}

const performers: Readonly<Record<StepKind, Perform>> = {
  add: (scene, step) =>
    call(scene, step, async (board) => scene.acknowledge(await board.add(taskInput(scene, step)))),
  'add-list': (scene, step) =>
    call(scene, step, async (board) => {
      const second = { title: `task ${step.how + 1}`, dependsOn: step.how % 2 === 0 ? [0] : ['task_nowhere'] }
      for (const task of await board.addAll([{ title: `task ${step.how}` }, second])) scene.acknowledge(task)
    }),
  'add-once': (scene, step) =>
    call(scene, step, async (board) => {
      const key = `key ${board.workspaceId} ${step.what % KEYS}`
      const idempotency = { scope: 'simulation', key, fingerprint: 'one' }
      scene.acknowledge(await board.add({ title: `task ${step.what % KEYS}` }, { idempotency }))
    }),
  claim: (scene, step) =>
    call(scene, step, async (board) => {
      const agentId = at(scene.agentsOf(board.workspaceId), step.what)
      if (agentId === undefined) return
      const leaseMs = at([5 * SECOND_MS, MINUTE_MS], step.how) ?? MINUTE_MS
      const task = await board.claim({ agentId, leaseMs })
      if (task !== null) scene.claims.push(task)
    }),
  write: writeUnderClaim,
  move: (scene, step) =>
    onTask(scene, step, (board, taskId) => {
      const to = at(['TODO', 'DOING', 'DONE', 'TODO', null] as const, step.how)
      // A person completes it, and takes it over from an agent every other time.
      const takeOver = step.what % 2 === 0
      return to == null ? board.complete(taskId, { result: 'by hand', takeOver }) : board.move(taskId, to)
    }),
  hold: (scene, step) =>
    onTask(scene, step, (board, taskId) => board.hold(taskId, { reason: 'needs_input', message: 'what?' })),
  cancel: (scene, step) => onTask(scene, step, (board, taskId) => board.cancel(taskId)),
  release: (scene, step) => onTask(scene, step, (board, taskId) => board.release(taskId)),
  delete: (scene, step) => onTask(scene, step, (board, taskId) => board.delete(taskId)),
  assign(scene, step) {
    // Of a task that is worked, where there is one.
    const tasks = [...scene.observer.model.tasks.values()]
    const worked = tasks.filter(({ lease }) => lease !== null)
    const task = recent(worked.length > 0 ? worked : tasks, step.what)
    if (task === undefined) return
    const others = scene.agentsOf(task.workspaceId).filter((id) => id !== task.lease?.agentId)
    const assignedTo = at(others, step.how) ?? null
    call(scene, step, (_, { taskboard }) => taskboard.board(task.workspaceId).update(task.id, { assignedTo }))
  },
  edit: (scene, step) =>
    onTask(scene, step, (board, taskId) => {
      const { title: _, type: _type, ...change } = taskInput(scene, step)
      return board.update(taskId, step.how % 2 === 0 ? { budget: { tokens: 1_000 } } : change)
    }),
  answer(scene, step) {
    const task = recent(
      [...scene.observer.model.tasks.values()].filter(({ isHeld }) => isHeld),
      step.what,
    )
    if (task === undefined) return
    const answer = { body: `answer ${step.how}` }
    call(scene, step, (_, { taskboard }) => taskboard.board(task.workspaceId).answer(task.id, answer))
  },
  decide(scene, step) {
    const asked = recent([...scene.observer.pendingApprovals], step.what)
    if (asked === undefined) return
    const [approvalId, workspaceId] = asked
    const decision = step.how % 4 === 0 ? 'rejected' : 'approved'
    call(scene, step, (_, { taskboard }) =>
      taskboard.board(workspaceId).decide(approvalId, { decision }, { actor: PERSON }),
    )
  },
  comment: (scene, step) =>
    onTask(scene, step, (board, taskId) => board.comment(taskId, { body: 'a comment' })),
  usage: (scene, step) =>
    onTask(scene, step, (board, taskId) => {
      const key = `usage ${taskId} ${step.how % KEYS}`
      const idempotency = { scope: 'usage', key, fingerprint: 'one' }
      return board.usage(taskId, { model: 'small', inputTokens: 20, outputTokens: 0 }, { idempotency })
    }),
  transaction: (scene, step) =>
    call(scene, step, (board, { taskboard }) =>
      taskboard.transaction(async (tx) => {
        const first = await board.add(taskInput(scene, step), { tx })
        await board.add({ title: `task ${step.how + 2}`, dependsOn: [first.id] }, { tx })
        if (step.what % 2 === 0) throw new Error('rolled back on purpose')
      }),
    ),
  schedule: (scene, step) =>
    call(scene, step, async (board) => {
      if (scene.schedules.length >= 2) return
      const cron = at(['*/5 * * * *', '*/20 * * * *'], step.how) ?? '0 * * * *'
      const overlap = step.what % 2 === 0 ? 'allow' : 'skip'
      const { id } = await board.schedules.create({ cron, overlap, task: { title: `task ${step.how}` } })
      scene.schedules.push({ id, workspaceId: board.workspaceId })
    }),
  'change-schedule'(scene, step) {
    const schedule = at(scene.schedules, step.what)
    if (schedule === undefined) return
    call(scene, step, (_, { taskboard }) =>
      taskboard
        .board(schedule.workspaceId)
        .schedules.update(schedule.id, { enabled: step.how % 3 > 0, overlap: 'allow' }),
    )
  },
  request(scene, step) {
    const { principal } = scene
    if (principal === null) return
    const id = `key_${step.what % 2}`
    for (let count = step.how % 4; count >= 0; count--)
      call(scene, step, (_, { taskboard }) => taskboard.services.takeBoardLimit({ ...principal, id }))
  },
  read(scene, step) {
    const reader = at(scene.readers, step.what)
    if (reader !== undefined) call(scene, step, async (_, process) => reader.connect(process))
  },
  'stop-reading': (scene, step) => at(scene.readers, step.what)?.disconnect(),
  kill: (scene, step) => at(scene.processes(), step.who)?.kill(),
  start(scene, step) {
    const down = scene.processes().filter(({ state }) => state.state === 'down')
    const process = at(down, step.who)
    if (process !== undefined) scene.restart(process.index)
  },
  stop(scene, step) {
    const process = at(scene.processes(), step.who)
    if (process === undefined || process.state.state !== 'up' || !process.isStarted) return
    process.isStarted = false
    void process.taskboard.close({ drainTimeoutMs: step.how % 20_000 }).finally(() => process.kill())
  },
  pause(scene, step) {
    const process = at(scene.processes(), step.who)
    if (process === undefined || process.state.state !== 'up') return
    process.gate.abortTransactions()
    process.state.state = 'paused'
    process.state.wasDisturbed = true
  },
  resume(scene, step) {
    const paused = scene.processes().filter(({ state }) => state.state === 'paused')
    const process = at(paused, step.who)
    if (process !== undefined) scene.world.resume(process.state)
  },
  fail(scene, step) {
    const kind: FaultKind = step.what % 2 === 0 ? 'fails-before' : 'fails-after'
    for (let count = step.how % 3; count >= 0; count--)
      at(scene.processes(), step.who)?.gate.arm(kind, (step.how >> 3) % 12)
  },
  die(scene, step) {
    const kind: FaultKind = step.what % 2 === 0 ? 'dies-before' : 'dies-after'
    at(scene.processes(), step.who)?.gate.arm(kind, step.how % 12)
  },
  jump(scene, step) {
    const process = at(scene.processes(), step.who)
    if (process === undefined) return
    process.state.wasDisturbed = true
    process.state.offsetMs +=
      at([-HOUR_MS, -SECOND_MS, 5 * SECOND_MS, 90 * SECOND_MS, HOUR_MS], step.how) ?? 0
  },
  async wait(scene, step) {
    const longest = scene.setup.notifications === 'own' ? 7 : 5
    const waits = [50, SECOND_MS, 10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 20 * MINUTE_MS, HOUR_MS]
    await scene.world.advance(at(waits.slice(0, longest), step.how) ?? SECOND_MS)
  },
  async settle(scene) {
    await scene.world.happen(Infinity)
    await checkRest(scene)
  },
}

/** An agent outside of the runtimes writes under a claim that it ever had. */
async function writeUnderClaim(scene: Scene, step: Step): Promise<void> {
  const task = recent(scene.claims, step.what)
  if (task === undefined) return
  // Some agents are slower than their leases.
  if (step.who % 3 === 0) await scene.world.advance(at([6 * SECOND_MS, MINUTE_MS], step.who) ?? 0)
  call(scene, step, (_, { taskboard }) => write(taskboard.board(task.workspaceId), task, step))
}

async function write(board: Board, { id, fencingToken }: Task, { how }: Step): Promise<unknown> {
  switch (how % 10) {
    case 0:
      return board.heartbeat(id, { fencingToken })
    case 1:
      return board.progress(id, { fencingToken, progress: how % 101 })
    case 2:
    case 3:
    case 9:
      return board.complete(id, { fencingToken, result: 'done outside' })
    case 4:
      return board.fail(id, { fencingToken, reason: 'it broke', retry: how % 2 === 0 })
    case 5:
      return board.ask(id, { fencingToken, question: 'which one?' })
    case 6: {
      // The same as agents in the process ask, by one of two keys.
      const asked = { fencingToken, action: 'pay', summary: 'Pay', input: { cents: 1 } }
      return board.requestApproval(id, asked, { actor: { kind: 'api_key', id: `ak_${(how >> 3) % 2}` } })
    }
    case 7:
      return board.usage(id, { fencingToken, model: 'small', inputTokens: 30, outputTokens: 0 })
    default:
      return board.log(id, { fencingToken, message: 'a line' })
  }
}
