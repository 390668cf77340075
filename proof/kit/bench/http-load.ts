import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'
import { recordFigure } from './figure.js'

/** What a served subject reports to the load generator. */
export interface Served {
  readonly url: string
  /** Used in rotation, so that no limit is reached. */
  readonly keys: readonly string[]
  /** Replaces `WORKSPACE` in requests. */
  readonly workspaceId?: string
}

export interface Subject {
  readonly name: string
  /** The argument that makes the benchmark's own file serve this subject. */
  readonly serve: string
  /** Ours over this floor's, where it is not the scenario's goal; null for none. */
  readonly goal?: number | null
}

export interface Scenario {
  readonly name: string
  readonly path: string
  readonly body?: string
  /** Ours over the floor's. */
  readonly goal: number
}

/** The result of one load. */
interface Measured {
  /** Requests per second. */
  readonly rate: number
  /** Processor time of the server, in microseconds per request. Unlike the rate, it hardly depends on what else runs. */
  readonly cpuUs: number
}

const CONNECTIONS = 50
const ROUND_SECONDS = 3
const ROUNDS = 5

/** Reports to the parent process where the subject listens and, on request, how much processor time it has used. */
export function announce(served: Served): void {
  process.send?.(served)
  process.on('message', () => process.send?.(process.cpuUsage()))
  process.once('disconnect', () => process.exit(0))
}

/**
 * Loads `ours` and the floors in turn, each in a separate process, and prints and records the medians of whole requests per second and our ratio
 * to each floor, by rate and by processor time. The load generator is this process.
 */
export async function compare(
  file: string,
  ours: Subject,
  floors: readonly Subject[],
  scenarios: readonly Scenario[],
): Promise<void> {
  const subjects = await Promise.all([ours, ...floors].map((subject) => start(file, subject)))
  try {
    for (const scenario of scenarios) {
      for (const subject of subjects) await loadOnce(subject, scenario, 2)
      for (let round = 0; round < ROUNDS; round++) {
        for (const subject of subjects) subject.rounds.push(await loadOnce(subject, scenario, ROUND_SECONDS))
      }
      report(scenario, subjects)
    }
  } finally {
    for (const { child } of subjects) child.disconnect()
  }
}

interface Running {
  readonly name: string
  readonly child: ChildProcess
  readonly served: Served
  readonly goal: number | null | undefined
  readonly rounds: Measured[]
}

async function start(file: string, { name, serve, goal }: Subject): Promise<Running> {
  const child = fork(file, [serve])
  const [served] = (await once(child, 'message')) as [Served]
  return { name, goal, child, served, rounds: [] }
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu')
  const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage]
  return user + system
}

async function loadOnce(subject: Running, { path, body }: Scenario, duration: number): Promise<Measured> {
  const { child, served } = subject
  const content = body === undefined ? {} : { 'content-type': 'application/json' }
  const before = await cpuOf(child)
  const result = await autocannon({
    url: served.url,
    connections: CONNECTIONS,
    duration,
    requests: served.keys.map((key) => ({
      method: body === undefined ? 'GET' : 'POST',
      path,
      headers: { authorization: `Bearer ${key}`, ...content },
      ...(body === undefined ? {} : { body: body.replace('WORKSPACE', served.workspaceId ?? '') }),
    })),
  })
  const used = (await cpuOf(child)) - before
  if (result.errors > 0 || result.non2xx > 0)
    throw new Error(`${result.errors} errors and ${result.non2xx} refusals on ${path}`)
  return { rate: result.requests.total / result.duration, cpuUs: used / result.requests.total }
}

function report({ name, goal }: Scenario, subjects: readonly Running[]): void {
  const [ours, ...floors] = subjects.map((subject) => {
    const rounds = subject.rounds.splice(0)
    const rate = median(rounds.map((round) => round.rate))
    return {
      name: subject.name,
      goal: subject.goal === undefined ? goal : subject.goal,
      rate,
      cpuUs: median(rounds.map((round) => round.cpuUs)),
    }
  })
  if (ours === undefined) return
  console.log(
    `${name}: ${ours.name} ${Math.round(ours.rate)} requests/s, ${ours.cpuUs.toFixed(1)} us of processor each`,
  )
  for (const floor of floors) {
    const byRate = ours.rate / floor.rate
    const byCpu = floor.cpuUs / ours.cpuUs
    const what = `${ours.name}, ${name}, to ${floor.name}`
    recordFigure({ what, value: byRate * 100, unit: '%' })
    recordFigure({ what: `${what}, by processor time`, value: byCpu * 100, unit: '%' })
    console.log(
      `  ${percent(byRate)} of ${floor.name} (${Math.round(floor.rate)} requests/s), ${percent(byCpu)} by processor time` +
        ` (${floor.cpuUs.toFixed(1)} us)${verdict(byRate, floor.goal)}`,
    )
  }
}

function verdict(ratio: number, goal: number | null): string {
  return goal === null ? '' : `; goal ${percent(goal)}: ${ratio >= goal ? 'met' : 'missed'}`
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)} %`
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
