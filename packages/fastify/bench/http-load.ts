import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'

/** What a served subject tells the load generator about itself. */
export interface Served {
  readonly url: string
  /** Rotated over, so that no limit is met. */
  readonly keys: readonly string[]
}

export interface Subject {
  readonly name: string
  /** The argument that makes the benchmark's own file serve this subject. */
  readonly serve: string
}

export interface Scenario {
  readonly name: string
  readonly path: string
  readonly body?: string
  /** Ours over the floor's. */
  readonly goal: number
}

const CONNECTIONS = 50
const ROUND_SECONDS = 3
const ROUNDS = 5

/** Tells the parent process where the subject listens. */
export function announce(served: Served): void {
  process.send?.(served)
  process.once('disconnect', () => process.exit(0))
}

/**
 * Loads `ours` and the floors in turn, each in a process of its own, and prints the medians of whole requests a second
 * and our ratio to each floor. The load generator is this process.
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
      for (const subject of subjects) await loadOnce(subject.served, scenario, 2)
      for (let round = 0; round < ROUNDS; round++) {
        for (const subject of subjects)
          subject.rates.push(await loadOnce(subject.served, scenario, ROUND_SECONDS))
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
  readonly rates: number[]
}

async function start(file: string, { name, serve }: Subject): Promise<Running> {
  const child = fork(file, [serve])
  const [served] = (await once(child, 'message')) as [Served]
  return { name, child, served, rates: [] }
}

async function loadOnce({ url, keys }: Served, { path, body }: Scenario, duration: number): Promise<number> {
  const content = body === undefined ? {} : { 'content-type': 'application/json' }
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration,
    requests: keys.map((key) => ({
      method: body === undefined ? 'GET' : 'POST',
      path,
      headers: { authorization: `Bearer ${key}`, ...content },
      ...(body === undefined ? {} : { body }),
    })),
  })
  if (result.errors > 0 || result.non2xx > 0)
    throw new Error(`${result.errors} errors and ${result.non2xx} refusals on ${path}`)
  return result.requests.total / result.duration
}

function report({ name, goal }: Scenario, subjects: readonly Running[]): void {
  const [ours, ...floors] = subjects.map((subject) => ({
    name: subject.name,
    rate: median(subject.rates.splice(0)),
  }))
  if (ours === undefined) return
  console.log(`${name}: ${ours.name} ${Math.round(ours.rate)} requests/s`)
  for (const floor of floors) {
    const ratio = ours.rate / floor.rate
    const verdict = ratio >= goal ? 'met' : 'MISSED'
    console.log(
      `  ${(ratio * 100).toFixed(0)} % of ${floor.name} at ${Math.round(floor.rate)} (goal ${goal * 100} %: ${verdict})`,
    )
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
