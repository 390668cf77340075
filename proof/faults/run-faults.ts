import { setTimeout as sleep } from 'node:timers/promises'
import { mixSeeds, randomness } from '../simulation/randomness.js'
import { verdictsOn } from './all-checks.js'
import { setUpBoard, type BoardUnderTest } from './board-under-test.js'
import type { Verdict } from './check.js'
import type { DatabaseUnderTest } from './database-under-test.js'
import { startChannelReader, startFeedReader } from './event-readers.js'
import { databaseFaults, processFaults, runLane, type DoneFault } from './fault-plan.js'
import { startClient, startLimited, startPeople, type Running } from './load.js'
import { createJournal, type Journal } from './observations.js'
import { openBoard } from './open-board.js'
import { createOverseer } from './overseer.js'
import { processUnderTest, type ProcessUnderTest } from './process-under-test.js'
import { startReceiver } from './receiver.js'

export interface FaultsOptions {
  readonly seed: number
  readonly lengthMs: number
  /** The folder with the compiled programs. */
  readonly programs: URL
  openDatabase(): Promise<DatabaseUnderTest>
  /** Called with each line of what happens. */
  say(line: string): void
}

export interface FaultsResult {
  readonly faults: readonly DoneFault[]
  readonly verdicts: readonly Verdict[]
}

const CLIENTS = 3
const READY_MS = 30_000
const REST_MS = 60_000
const CATCH_UP_MS = 15_000
const CLOSE_MS = 10_000

/** Runs a board under faults, and compares what callers saw with what the database has. Stops all that it started. */
export async function runFaults(options: FaultsOptions, signal: AbortSignal): Promise<FaultsResult> {
  const cleanUps: (() => Promise<unknown>)[] = []
  try {
    return await runOn(options, signal, (cleanUp) => void cleanUps.push(cleanUp))
  } finally {
    for (const cleanUp of cleanUps.reverse())
      await cleanUp().catch((error: unknown) => options.say(`while stopping: ${String(error)}`))
  }
}

async function runOn(
  { seed, lengthMs, programs, openDatabase, say }: FaultsOptions,
  signal: AbortSignal,
  later: (cleanUp: () => Promise<unknown>) => void,
): Promise<FaultsResult> {
  const drawOf = (part: number) => randomness(mixSeeds(seed, part))
  const journal = createJournal()
  const receiver = await startReceiver(mixSeeds(seed, 1), journal)
  later(() => receiver.close())
  const database = await openDatabase()
  later(() => database.stop())
  const board = await setUpBoard(database, receiver)
  const processes = board.roles.map(({ name, role }) =>
    processUnderTest({ name, role, databaseUrl: database.url, programs, journal }),
  )
  later(() => Promise.all(processes.map((each) => each.kill())))
  // The harness may end before that: a paused process would stay.
  process.once('exit', () => processes.forEach((each) => void each.kill()))
  for (const each of processes) each.start()
  await allReady(processes, signal)

  const readers = await startReaders(board, database, journal, later)
  const overseer = createOverseer(database, journal)
  const callers = { baseUrls: board.baseUrls, key: board.key, journal }
  const people = startPeople({ ...callers, key: board.peopleKey, draw: drawOf(2) })
  const load: readonly Running[] = [
    overseer.startWatching(),
    overseer.startSchedules(),
    startLimited('limited', { ...callers, key: board.limitedKey, draw: drawOf(3) }),
    ...Array.from({ length: CLIENTS }, (_, n) =>
      startClient(`client-${n}`, { ...callers, draw: drawOf(10 + n) }, overseer.isFull),
    ),
  ]

  later(() => Promise.all([...load, people].map((each) => each.stop())))

  const faults = await inflict()
  say('the faults are over: waits for the rest')
  receiver.mend()
  await allReady(processes, signal)
  await Promise.all(load.map((each) => each.stop()))
  people.releaseFailed()
  const left = await overseer.rest(REST_MS, signal)
  signal.throwIfAborted()
  journal.record({ kind: 'came to rest', left })
  for (const line of left) describeLeft(line, journal, say)
  await people.stop()
  await caughtUp()
  for (const reader of readers) await reader.stop()
  await Promise.all(processes.map((each) => each.close(CLOSE_MS)))
  return { faults, verdicts: verdictsOn(journal, await overseer.rows()) }

  async function inflict(): Promise<readonly DoneFault[]> {
    const done: DoneFault[] = []
    const startedMs = performance.now()
    const begun = (label: string): void => {
      const atMs = performance.now() - startedMs
      done.push({ atMs, label })
      say(`${(atMs / 1_000).toFixed(1).padStart(6)} s  ${label}`)
    }
    const over = new AbortController()
    const end = (): void => over.abort()
    signal.addEventListener('abort', end)
    const timer = setTimeout(end, lengthMs)
    await Promise.all([
      runLane({ draw: drawOf(4), next: processFaults(processes), pauseMs: [300, 1_500] }, over.signal, begun),
      runLane(
        { draw: drawOf(5), next: databaseFaults(database), pauseMs: [1_500, 4_000] },
        over.signal,
        begun,
      ),
    ])
    clearTimeout(timer)
    signal.throwIfAborted()
    return done
  }

  /** The realtime channel and the feed may be a little behind. */
  async function caughtUp(): Promise<void> {
    const endMs = performance.now() + CATCH_UP_MS
    for (;;) {
      const last = await overseer.lastSeq(board.workspaceId)
      const behind = ['feed', ...board.baseUrls].filter(
        (name) => (journal.of('saw').findLast(({ reader }) => reader === name)?.seq ?? 0) < last,
      )
      if (behind.length === 0 || performance.now() > endMs) return
      await sleep(200)
    }
  }
}

async function allReady(processes: readonly ProcessUnderTest[], signal: AbortSignal): Promise<void> {
  await Promise.all(processes.map((each) => each.ready(READY_MS)))
  signal.throwIfAborted()
}

async function startReaders(
  { baseUrls, key, workspaceId }: BoardUnderTest,
  database: DatabaseUnderTest,
  journal: Journal,
  later: (cleanUp: () => Promise<unknown>) => void,
): Promise<readonly Running[]> {
  const board = openBoard(database.url)
  later(() => board.close())
  const feed = await startFeedReader(board, workspaceId, journal)
  const channels = await Promise.all(
    baseUrls.map((baseUrl) => startChannelReader(baseUrl, { baseUrl, key, workspaceId, journal })),
  )
  return [feed, ...channels]
}

/** What its runs reported of a task that is left. */
function describeLeft(line: string, journal: Journal, say: (line: string) => void): void {
  const taskId = line.split(' ', 1)[0]
  const reports = journal.of('claimed').filter((claim) => claim.taskId === taskId)
  const byRuns = new Map<string, number>()
  for (const { by } of reports) byRuns.set(by, (byRuns.get(by) ?? 0) + 1)
  const runs = [...byRuns].map(([by, count]) => `${count} by ${by}`).join(', ')
  say(`  left: ${line}; runs: ${runs || 'none'}`)
}
