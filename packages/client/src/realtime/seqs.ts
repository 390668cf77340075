import type { ChannelPosition } from './messages.js'

/** The last `seq` seen by workspace id. A workspace that is missing is new: all of its events are wanted. */
export type Seqs = Readonly<Record<string, number>>

const TASKS = 'tasks'

/** A position as the server sends it, for any channel. */
export function toSeqs(channel: string, position: ChannelPosition): Seqs {
  return typeof position === 'number' ? { [channel.replace('workspace.', '')]: position } : { ...position }
}

/** The same for the server. */
export function toPosition(channel: string, seqs: Seqs): ChannelPosition {
  return channel === TASKS ? seqs : (Object.values(seqs)[0] ?? 0)
}

/** Before all of them. */
export function earliest(all: readonly Seqs[]): Seqs {
  const [first = {}, ...rest] = all
  const common = Object.entries(first).filter(([id]) => rest.every((seqs) => id in seqs))
  return Object.fromEntries(
    common.map(([id, seq]) => [id, Math.min(seq, ...rest.map((seqs) => seqs[id] ?? seq))]),
  )
}

/** Whether what follows `start` is all that is missing after `seqs`. */
export function isCovered(seqs: Seqs, start: Seqs): boolean {
  return Object.entries(start).every(([id, seq]) => (seqs[id] ?? 0) >= seq)
}
