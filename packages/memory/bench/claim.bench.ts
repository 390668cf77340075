import { defaultScoring, silentLogger, type Storage, type Task } from '@taskboard/core'
import { createNewId, isReady, scoreUnits, systemClock } from '@taskboard/core/storage'
import { newTask } from '@taskboard/testing'
import { setTimeout } from 'node:timers/promises'
import { recordFigure } from '@taskboard/kit/bench/figure'
import { memoryStorage, type MemoryTransaction } from '../src/index.js'

/**
 * What a claim costs (the task's change with its lease, and its event, included), one at a time, on boards of a thousand, a
 * hundred thousand and a million ready tasks, and in ten and ten thousand workspaces, beside a linear scan for the best task
 * in the same run. Figures are the process's own processor time, the collector's threads included, so that what else the
 * machine does counts less.
 */
const SIZES = [1_000, 100_000, 1_000_000]
const WORKSPACE_COUNTS = [10, 10_000]
const ROUNDS = 7
const CLAIMS_PER_ROUND = 20_000
/** A board is refilled, by making a new one, before more than this part of it is gone. */
const LARGEST_PART_CLAIMED = 0.5
const TASKS_SCANNED = 5_000_000
const LEASE_MS = 60_000
const SWEEP_MS = 1_000
const START = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000
const GOAL_GROWTH = 4
const GOAL_OVER_SCAN = 10_000

type Store = Storage<MemoryTransaction>

interface Board {
  readonly storage: Store
  agentId: string
  /** All tasks as they were created, for the scan. */
  readonly tasks: Task[]
  now: number
}

/** Chance enough to mix flags and dates, the same in every run. */
function mixed(index: number, limit: number): number {
  return (Math.imul(index + 1, 2_654_435_761) >>> 8) % limit
}

async function createBoard(taskCount: number, workspaceCount: number): Promise<Board> {
  const storage = memoryStorage()
  const board: Board = { storage, agentId: '', tasks: [], now: START }
  const clock = { ...systemClock, now: () => board.now }
  storage.bind({
    scoring: defaultScoring,
    newId: createNewId(clock),
    clock,
    logLimit: 100,
    outputLimit: 100,
    logger: silentLogger,
  })
  const agent = { name: 'worker', type: 'worker' }
  const { account, workspace } = await storage.access.insertAccount(
    { name: 'bench', tier: 'enterprise', workspaceName: 'first', agent },
    { now: START },
  )
  const workspaceIds = [workspace.id]
  while (workspaceIds.length < workspaceCount) {
    const added = await storage.access.insertWorkspace(
      { accountId: account.id, name: 'next', agent },
      { now: START },
    )
    workspaceIds.push(added.id)
  }
  for (let index = 0; index < taskCount; index++) {
    board.now = START + Math.floor((index * 20 * DAY_MS) / taskCount)
    board.tasks.push(await addTask(board, workspaceIds[index % workspaceCount] ?? workspace.id, index))
  }
  board.now = START + 20 * DAY_MS
  const [first] = await storage.agents.listAgents({ reach: null, workspaceId: workspace.id }, { now: START })
  board.agentId = first?.id ?? ''
  return board
}

async function addTask(board: Board, workspaceId: string, index: number): Promise<Task> {
  const { value } = await board.storage.tasks.insertTask(
    {
      task: newTask({
        workspaceId,
        title: `task ${index}`,
        priority: (['urgent', 'high', 'medium', 'low'] as const)[mixed(index, 4)] ?? 'medium',
        dueDate: mixed(index, 3) === 0 ? START + (10 + mixed(index, 40)) * DAY_MS : null,
      }),
      actor: { kind: 'host', id: null },
      idempotency: null,
    },
    { now: board.now },
  )
  return value
}

/** Claims one task after another. */
async function claimTasks(board: Board, count: number): Promise<void> {
  const request = { agentType: 'worker', leaseMs: LEASE_MS }
  for (let claimed = 0; claimed < count; claimed++) {
    board.now += 10
    const { tasks } = await board.storage.tasks.claimTasks({ target: request, limit: 1 }, { now: board.now })
    if (tasks.length === 0) throw new Error('nothing left to claim')
  }
}

/** Finds the best task for an agent by looking at all of them, and does nothing with it. */
function scan({ tasks, now, agentId }: Board): Task {
  let best: Task | undefined
  let bestUnits = -1
  for (const task of tasks) {
    if (!isReady(task, now) || (task.assignedTo !== null && task.assignedTo !== agentId)) continue
    const units = scoreUnits(task, now)
    if (units <= bestUnits) continue
    best = task
    bestUnits = units
  }
  if (best === undefined) throw new Error('no tasks')
  return best
}

function processorMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function usedBytes(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers
}

/** One round needs several small boards; a large one lasts for all rounds. */
async function measure(taskCount: number, workspaceCount: number) {
  const isSmall = taskCount < CLAIMS_PER_ROUND
  const largest = Math.floor((taskCount * LARGEST_PART_CLAIMED) / (isSmall ? 1 : ROUNDS + 2))
  const perBoard = Math.min(CLAIMS_PER_ROUND, largest)
  const boardCount = isSmall ? Math.ceil(CLAIMS_PER_ROUND / perBoard) : 1
  const bytesBefore = usedBytes()
  const addingAt = processorMicros()
  let boards = await createBoards(boardCount, taskCount, workspaceCount)
  const addMicros = (processorMicros() - addingAt) / (taskCount * boardCount)
  const bytesPerTask = (usedBytes() - bytesBefore) / (taskCount * boardCount)

  const claims: number[] = []
  // The first claims also place what time has changed since the tasks were added, and the collector finishes its sweep.
  const warmUp = isSmall ? 1 : perBoard
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0 && isSmall) boards = await createBoards(boardCount, taskCount, workspaceCount)
    if (round === 0 || isSmall) {
      for (const board of boards) await claimTasks(board, warmUp)
      globalThis.gc?.()
      // The collector's threads are still sweeping then, which is nothing that a claim costs.
      await setTimeout(SWEEP_MS)
      for (const board of boards) await claimTasks(board, warmUp)
    }
    const startedAt = processorMicros()
    for (const board of boards) await claimTasks(board, perBoard)
    claims.push((processorMicros() - startedAt) / (boardCount * perBoard))
  }
  return { claimMicros: median(claims), scanMicros: measureScan(boards[0] as Board), addMicros, bytesPerTask }
}

async function createBoards(count: number, taskCount: number, workspaceCount: number): Promise<Board[]> {
  const boards: Board[] = []
  while (boards.length < count) boards.push(await createBoard(taskCount, workspaceCount))
  return boards
}

function measureScan(board: Board): number {
  globalThis.gc?.()
  const repeats = Math.max(1, Math.floor(TASKS_SCANNED / board.tasks.length / 5))
  const scans = Array.from({ length: 5 }, () => {
    const startedAt = processorMicros()
    for (let repeat = 0; repeat < repeats; repeat++) scan(board)
    return (processorMicros() - startedAt) / repeats
  })
  return median(scans)
}

const text = (value: number, digits: number, unit: string): string =>
  `${value.toLocaleString('en', { maximumFractionDigits: digits })} ${unit}`.padStart(14)

async function row(taskCount: number, workspaceCount: number) {
  const { claimMicros, scanMicros, addMicros, bytesPerTask } = await measure(taskCount, workspaceCount)
  console.log(
    [
      String(taskCount).padStart(9),
      String(workspaceCount).padStart(11),
      text(claimMicros, 2, 'us'),
      text(1e6 / claimMicros, 0, '/s'),
      text(scanMicros, 0, 'us'),
      text(scanMicros / claimMicros, 0, 'x'),
      text(addMicros, 2, 'us'),
      text(bytesPerTask, 0, 'B'),
    ].join(''),
  )
  return { claimMicros, scanMicros }
}

const met = (goal: boolean): string => (goal ? 'met' : 'missed')

// The engine compiles the paths on boards of their own.
await measure(1_000, 1)
await measure(20_000, 1)
console.log(
  '    tasks workspaces         claim        claims   linear scan    scan/claim           add        a task',
)
const rows = []
for (const size of SIZES) rows.push(await row(size, 1))
for (const count of WORKSPACE_COUNTS) await row(100_000, count)

const small = rows[0]
const large = rows.at(-1)
if (small !== undefined && large !== undefined) {
  const growth = large.claimMicros / small.claimMicros
  const overScan = large.scanMicros / large.claimMicros
  recordFigure({ what: 'a claim at a million tasks to one at a thousand', value: growth, unit: 'x' })
  recordFigure({ what: 'a scan of a million tasks to a claim', value: overScan, unit: 'x' })
  console.log(
    `a claim at 1M costs ${growth.toFixed(2)} times one at 1k (goal: at most ${GOAL_GROWTH}, ${met(growth <= GOAL_GROWTH)})`,
  )
  console.log(
    `and is ${Math.round(overScan).toLocaleString('en')} times cheaper than a scan ` +
      `(goal: ${GOAL_OVER_SCAN.toLocaleString('en')}, ${met(overScan >= GOAL_OVER_SCAN)})`,
  )
}
