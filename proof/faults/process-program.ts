import type { Order, ProcessOptions, Report } from './messages.js'
import type { Observation } from './observations.js'

/** What a process was started with. */
export const options = JSON.parse(process.argv[2] ?? '') as ProcessOptions

function send(report: Report): void {
  // The controller may be gone.
  if (process.connected) process.send?.(report, () => undefined)
}

export function observe(observation: Observation): void {
  send({ kind: 'observed', observation })
}

/** Says that the process works, and ends it with `close` when it is asked to. */
export function serve(close: () => Promise<unknown>): void {
  process.on('message', (order: Order) => {
    if (order.kind === 'close') void close().then(() => process.exit(0))
  })
  send({ kind: 'ready' })
}

process.on('disconnect', () => process.exit(1))
