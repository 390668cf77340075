import { expect, it } from 'vitest'
import { hostileRequests } from '../test/hostile-bodies.js'

const BYTES = 60_000
const TRIES = 3
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

/** How long in milliseconds is for `npm run bench -- hostile`. */
it.each([
  ['unread', false],
  ['parsed by the host', true],
])(
  'no body, to whatever operation, costs much more than to parse it: %s',
  async (_, isParsed) => {
    const slow: string[] = []
    for (const { name, text, prepare } of await hostileRequests(BYTES, isParsed)) {
      const send = prepare()
      const spent = await leastMs(send)
      if (spent <= ALLOWANCE_MS) continue
      const body = text()
      const floor = await leastMs(() => JSON.parse(body) as unknown)
      if (spent > ALLOWANCE_MS + MOST_TIMES * floor) slow.push(`${name}: ${spent} ms, parsing ${floor} ms`)
    }
    expect(slow).toEqual([])
  },
  120_000,
)
