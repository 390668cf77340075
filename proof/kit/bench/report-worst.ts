import { leastMsOf, type HostileRequest } from '../hostile/request-costs.js'

/** None may keep the event loop for longer. */
const GOAL_MS = 50
const TRIES = 3
/** Requests that take less are not reported. */
const ENOUGH_MS = 10
const SHOWN = 5

/** Prints the requests that keep the event loop for longest; above 50 ms the process's exit code is 1. */
export async function reportWorst(title: string, requests: readonly HostileRequest[]): Promise<void> {
  const results: { name: string; ms: number }[] = []
  for (const request of requests)
    results.push({ name: request.name, ms: await leastMsOf(request, TRIES, ENOUGH_MS) })
  const worst = results.toSorted((one, other) => other.ms - one.ms).slice(0, SHOWN)
  console.log(`${results.length} ${title}; the worst:`)
  for (const { name, ms } of worst) console.log(`  ${ms.toFixed(1).padStart(6)} ms  ${name}`)
  if ((worst[0]?.ms ?? 0) > GOAL_MS) process.exitCode = 1
}
