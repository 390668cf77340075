import { hostileRequests } from './hostile-bodies.js'

/**
 * A process of its own, so that nothing else uses its processor time. Writes as JSON which requests cost much more than it costs to
 * parse their body: `[name, spent, floor]`, in milliseconds of processor time. Argument: whether the host has parsed the body.
 */
const BYTES = 60_000
const TRIES = 5
/** An error costs as much whatever the body is. */
const ALLOWANCE_MS = 8
const MOST_TIMES = 10

/** The least processor time of some tries: what else the machine does can only add to it. */
async function leastMs(work: () => unknown): Promise<number> {
  let least = Infinity
  for (let attempt = 0; attempt < TRIES && least > ALLOWANCE_MS; attempt++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

let requests = 0
const slow: [name: string, spent: number, floor: number][] = []
for (const { name, text, prepare } of await hostileRequests(BYTES, process.argv[2] === 'parsed')) {
  requests += 1
  const send = prepare()
  const spent = await leastMs(send)
  if (spent <= ALLOWANCE_MS) continue
  const body = text()
  const floor = await leastMs(() => JSON.parse(body) as unknown)
  if (spent > ALLOWANCE_MS + MOST_TIMES * floor) slow.push([name, spent, floor])
}
process.stdout.write(JSON.stringify({ requests, slow }))
