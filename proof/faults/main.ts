import { parseArgs } from 'node:util'
import { tableOf } from './all-checks.js'
import { oneServer } from './database-under-test.js'
import { runFaults } from './run-faults.js'
import { serverPair } from './server-pair.js'

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    failover: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(1 + (Date.now() % 1_000_000)) },
  },
})
const seed = Number(values.seed)
const lengthMs = Number(values.minutes) * 60_000
if (!Number.isInteger(seed)) throw new Error('--seed must be a whole number')
if (!(lengthMs > 0)) throw new Error('--minutes must be a number above 0')
/** From here on, a run in which nothing was looked at for a promise fails. */
const LONG_MS = 120_000
/** To start, to come to rest and to stop. */
const LONGEST_REST_MS = 180_000

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stopping.abort(new Error(`interrupted by ${signal}`)))
// A harness that hangs must not outlive its time: the processes end with this one.
const watchdog = setTimeout(() => {
  say(`still not at an end after ${LONGEST_REST_MS / 1_000} s: seed ${seed}`)
  process.exit(1)
}, lengthMs + LONGEST_REST_MS).unref()

say(
  `faults on ${values.failover ? 'two real servers' : 'a real server'} for ${lengthMs / 1_000} s, seed ${seed}`,
)
let isKept = false
try {
  const { faults, verdicts } = await runFaults(
    {
      seed,
      lengthMs,
      programs: new URL('.', import.meta.url),
      openDatabase: values.failover ? serverPair : oneServer,
      say,
    },
    stopping.signal,
  )
  const unseen = verdicts.filter(({ checked }) => checked === 0).map(({ promise }) => promise)
  const isWhole = verdicts.every(({ broken }) => broken.length === 0)
  isKept = isWhole && (unseen.length === 0 || lengthMs < LONG_MS)
  say(`\nseed ${seed}, ${faults.length} faults\n\n${tableOf(verdicts)}`)
  const again = `npm run faults -- ${values.failover ? '--failover ' : ''}--minutes ${values.minutes} --seed ${seed}`
  if (unseen.length > 0) say(`\nnothing to look at for: ${unseen.join('; ')}`)
  if (isKept) say('\nevery promise was kept')
  else say(`\n${isWhole ? 'NOT SHOWN for all promises' : 'BROKEN'}; once more: ${again}`)
} catch (error) {
  say(`seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`)
}
clearTimeout(watchdog)
// The server's own hook would end the process with 0.
process.exit(isKept ? 0 : 1)
