import { AsyncLocalStorage } from 'node:async_hooks'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { runHistory, type Outcome } from './run-history.js'
import { shrinkHistory } from './run-history.js'
import { describeStep, drawHistory, type History } from './steps.js'

/** What the program is asked for. */
interface Request {
  readonly seed: number
  readonly histories: number
  readonly workers: number
  /** Prints all that happens in the first history. */
  readonly isTraced: boolean
  /** Prints the outcome as one line of JSON, for programs. */
  readonly isJson: boolean
}

/** What a worker reports of a part of the histories. */
interface Report {
  readonly ran: number
  readonly counts: Readonly<Record<string, number>>
  /** The seed of a history that failed. */
  readonly failed: number | null
}

/** How many histories a worker runs between two reports. */
const PART = 50

/* eslint-disable no-console -- It is a program, and its output is for people. */
if (isMainThread) process.exitCode = await main(readArguments(process.argv.slice(2)))
else await work(workerData as { readonly firstSeed: number; readonly step: number; readonly end: number })

function readArguments(words: readonly string[]): Request {
  const known = ['--seed', '--histories', '--workers']
  const numberOf = (name: string, other: number): number => {
    const index = words.indexOf(name)
    const value = index < 0 ? other : Number(words[index + 1])
    if (Number.isSafeInteger(value) && value >= 0) return value
    throw new RangeError(`${name} must be a whole number`)
  }
  for (const [index, word] of words.entries()) {
    const isValue = known.includes(words[index - 1] ?? '')
    if (!isValue && !known.includes(word) && !['--trace', '--json'].includes(word))
      throw new RangeError(`unknown argument ${word}`)
  }
  return {
    seed: numberOf('--seed', 1),
    histories: numberOf('--histories', 1_000),
    workers: numberOf('--workers', 2),
    isTraced: words.includes('--trace'),
    isJson: words.includes('--json'),
  }
}

async function main({ seed, histories, workers, isTraced, isJson }: Request): Promise<number> {
  if (isTraced) return report(await runHistory(drawHistory(seed), { trace: (line) => console.log(line) }))
  const startedMs = performance.now()
  const { ran, counts, failed } = await runAll(seed, histories, Math.max(1, Math.min(workers, histories)))
  if (isJson) return reportJson(seed, ran, failed)
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
  const { user, system } = process.cpuUsage()
  const busy = ((user + system) / 1_000_000).toFixed(1)
  console.log(
    `${ran} histories from seed ${seed} in ${seconds} s, ${busy} s of a processor: ${textOf(counts)}`,
  )
  if (failed === null) return 0
  return explain(failed)
}

async function reportJson(seed: number, ran: number, failed: number | null): Promise<number> {
  const found = failed === null ? null : await shrunkOf(failed)
  console.log(
    JSON.stringify({ seed, ran, failed, rule: found?.violation?.rule, steps: found?.shrunk.steps.length }),
  )
  return failed === null ? 0 : 1
}

function report({ violation }: Outcome): number {
  console.log(violation === null ? 'all promises hold' : violation.message)
  return violation === null ? 0 : 1
}

function textOf(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`)
    .join(', ')
}

/** Each worker takes every so manieth seed, so that the first failure is found early. */
async function runAll(seed: number, histories: number, workers: number): Promise<Report> {
  const counts: Record<string, number> = {}
  let ran = 0
  let failed: number | null = null
  const threads: Worker[] = []
  const end = seed + histories
  await Promise.all(
    Array.from({ length: workers }, (_, index) => {
      const thread = new Worker(new URL(import.meta.url), {
        workerData: { firstSeed: seed + index, step: workers, end },
        // Less of what a history leaves behind outlives it.
        resourceLimits: { maxYoungGenerationSizeMb: 64 },
      })
      threads.push(thread)
      return new Promise<void>((resolve, reject) => {
        thread.on('message', (part: Report) => {
          ran += part.ran
          for (const [name, count] of Object.entries(part.counts)) counts[name] = (counts[name] ?? 0) + count
          if (part.failed === null) return
          failed = Math.min(failed ?? Infinity, part.failed)
          for (const each of threads) void each.terminate()
        })
        thread.on('error', reject)
        thread.on('exit', () => resolve())
      })
    }),
  )
  return { ran, counts, failed }
}

/**
 * Node.js 20 follows the context of every promise as soon as anything uses a context, at the price of half of the speed. Histories need none: the
 * storage would use it to refuse calls that wait for themselves.
 */
function forgetContexts(): void {
  Object.assign(AsyncLocalStorage.prototype, { _enable: () => undefined })
}

async function work({
  firstSeed,
  step,
  end,
}: {
  firstSeed: number
  step: number
  end: number
}): Promise<void> {
  forgetContexts()
  let counts: Record<string, number> = {}
  let ran = 0
  const send = (failed: number | null): void => {
    parentPort?.postMessage({ ran, counts, failed } satisfies Report, [])
    counts = {}
    ran = 0
  }
  for (let seed = firstSeed; seed < end; seed += step) {
    const outcome = await runHistory(drawHistory(seed))
    for (const [name, count] of Object.entries(outcome.counts ?? {}))
      counts[name] = (counts[name] ?? 0) + Number(count)
    ran += 1
    if (outcome.violation !== null) return send(seed)
    if (ran === PART) send(null)
  }
  send(null)
}

async function shrunkOf(seed: number) {
  const history = drawHistory(seed)
  const { violation } = await runHistory(history)
  const failsAlike = async (candidate: History): Promise<boolean> =>
    (await runHistory(candidate)).violation?.rule === violation?.rule
  return {
    history,
    violation,
    shrunk: violation === null ? history : await shrinkHistory(history, failsAlike),
  }
}

/** Shrinks a history that failed, and replays what is left of it step by step. */
async function explain(seed: number): Promise<number> {
  const { history, violation, shrunk } = await shrunkOf(seed)
  console.log(`\nseed ${seed}: ${violation?.message ?? 'fails in a worker only'}`)
  if (violation === null) return 1
  console.log(`${shrunk.steps.length} of its ${history.steps.length} steps are enough:`)
  console.log(JSON.stringify(shrunk.setup))
  for (const [index, step] of shrunk.steps.entries()) console.log(`${index + 1}. ${describeStep(step)}`)
  console.log('\nstep by step:')
  report(await runHistory(shrunk, { trace: (line) => console.log(line) }))
  console.log(`\nshrunk history: ${shrunk.steps.length} steps`)
  console.log(`again: npm run simulate -- --seed ${seed} --histories 1`)
  return 1
}
