import type { ChannelPosition, RealtimeMessage, ServerMessage } from './messages.js'
import { TaskboardRealtimeError } from './realtime-error.js'
import type { MessageBuffer } from './subscription.js'

/** One subscription's place on one channel. */
interface Follower {
  readonly buffer: MessageBuffer
  /** The last `seq`s in the buffer; null before the first `subscribed`. */
  seqs: Record<string, number> | null
  /** Whether the server sends what is after `seqs`. */
  isLive: boolean
  /** Its reader is slow: messages are left out, and asked for again when the buffer is half empty. */
  isBehind: boolean
  wasGreeted: boolean
  hasResumed: boolean
}

interface Channel {
  readonly name: string
  readonly followers: Set<Follower>
  /** The request in progress, and whose messages it covers. */
  asked: {
    readonly id: string
    readonly followers: readonly Follower[]
    readonly since: Seqs | undefined
  } | null
  /** Whether the server knows of the subscription. */
  isOn: boolean
  /** Must be asked for, again if need be. */
  isStale: boolean
}

/** The server's codes for faults that pass. */
const PASSING = ['SERVICE_UNAVAILABLE', 'INTERNAL_ERROR', 'RATE_LIMIT_EXCEEDED']

/**
 * The channels of one client over its connections. Subscriptions of the same channel share it on the wire. Each has its own place: the
 * client asks the server for everything after the earliest one, and each subscription skips messages that it has.
 */
export class Channels {
  readonly #channels = new Map<string, Channel>()
  readonly #restart: () => void
  #say: ((message: object) => void) | null = null
  #requests = 0
  #isPlanned = false

  /** `restart` closes the connection, because a channel couldn't be subscribed now. */
  constructor(restart: () => void) {
    this.#restart = restart
  }

  add(
    buffer: MessageBuffer,
    names: readonly string[],
    since: Readonly<Record<string, ChannelPosition>>,
  ): void {
    for (const name of new Set(names)) {
      const fresh = { name, followers: new Set<Follower>(), asked: null, isOn: false, isStale: false }
      const channel: Channel = this.#channels.get(name) ?? fresh
      this.#channels.set(name, channel)
      const place = since[name]
      const hasPlace = place !== undefined
      channel.followers.add({
        buffer,
        seqs: hasPlace ? { ...toSeqs(name, place) } : null,
        isLive: false,
        isBehind: false,
        wasGreeted: false,
        hasResumed: hasPlace,
      })
      this.#plan(channel)
    }
  }

  remove(buffer: MessageBuffer): void {
    this.#each((follower, channel) => {
      if (follower.buffer !== buffer) return
      channel.followers.delete(follower)
      if (channel.followers.size === 0) this.#plan(channel)
    })
  }

  /** The reader has caught up. */
  drained(buffer: MessageBuffer): void {
    this.#each((follower, channel) => {
      if (follower.buffer !== buffer || !follower.isBehind) return
      follower.isBehind = false
      this.#plan(channel)
    })
  }

  /** A connection is open. */
  connected(say: (message: object) => void): void {
    this.#say = say
    for (const channel of this.#channels.values()) this.#plan(channel)
  }

  disconnected(): void {
    this.#say = null
    for (const channel of this.#channels.values()) {
      channel.asked = null
      channel.isOn = false
      for (const follower of channel.followers) follower.isLive = follower.wasGreeted = false
    }
  }

  receive(message: ServerMessage): void {
    const { type, seq, error, request_id: id } = message
    const channel = this.#channels.get(message.channel ?? '')
    if (channel === undefined) return
    const isAnswer = channel.asked?.id === id
    if (type === 'subscribed') {
      if (isAnswer && seq !== undefined) this.#begin(channel, seq)
    } else if (type === 'error') {
      if (error !== undefined && (isAnswer || id === undefined)) this.#refuse(channel, error)
    } else if (type !== 'unsubscribed') {
      for (const follower of channel.followers) deliver(follower, message)
    }
  }

  #each(visit: (follower: Follower, channel: Channel) => void): void {
    for (const channel of this.#channels.values()) {
      for (const follower of channel.followers) visit(follower, channel)
    }
  }

  /** Asks for all stale channels in one message, once the caller is done. */
  #plan(channel: Channel): void {
    channel.isStale = true
    if (this.#isPlanned) return
    this.#isPlanned = true
    queueMicrotask(() => {
      this.#isPlanned = false
      this.#ask()
    })
  }

  #ask(): void {
    const say = this.#say
    if (say === null) return
    const left: string[] = []
    const wanted: string[] = []
    const since: Record<string, ChannelPosition> = {}
    const id = `s${(this.#requests += 1)}`
    for (const channel of this.#channels.values()) {
      const { name } = channel
      if (!channel.isStale || channel.asked !== null) continue
      channel.isStale = false
      const followers = [...channel.followers].filter(({ isBehind }) => !isBehind)
      if (channel.isOn) left.push(name)
      channel.isOn = followers.length > 0
      if (channel.followers.size === 0) this.#channels.delete(name)
      if (!channel.isOn) continue
      const places = followers.flatMap(({ seqs }) => (seqs === null ? [] : [seqs]))
      // The present is known only without `since`; those with a place ask again after it.
      const start = places.length === followers.length ? earliest(places) : undefined
      channel.asked = { id, followers, since: start }
      wanted.push(name)
      if (start !== undefined) since[name] = toPosition(name, start)
    }
    if (left.length > 0) say({ type: 'unsubscribe', channels: left })
    if (wanted.length > 0) say({ type: 'subscribe', channels: wanted, since, request_id: id })
  }

  #begin(channel: Channel, position: ChannelPosition): void {
    const { name, asked } = channel
    channel.asked = null
    const start = toSeqs(name, position)
    for (const follower of asked?.followers ?? []) {
      follower.seqs ??= { ...start }
      if (follower.isBehind) continue
      follower.isLive = asked?.since !== undefined || isCovered(follower.seqs, start)
      if (!follower.isLive) this.#plan(channel)
      if (!follower.isLive || follower.wasGreeted) continue
      const { buffer, hasResumed: resumed } = follower
      follower.wasGreeted = follower.hasResumed = true
      buffer.push({ type: 'subscribed', channel: name, seq: toPosition(name, { ...follower.seqs }), resumed })
    }
    if (channel.isStale) this.#plan(channel)
  }

  #refuse(channel: Channel, { code, message, details, request_id: requestId }: ServerFault): void {
    const followers = channel.asked?.followers ?? [...channel.followers]
    channel.asked = null
    channel.isOn = false
    if (details?.field === 'since') {
      // The log is shorter than it was, for example after a backup was restored.
      for (const follower of followers) {
        follower.seqs = null
        follower.hasResumed = false
      }
      this.#plan(channel)
    } else if (PASSING.includes(code)) this.#restart()
    else {
      const refusal = new TaskboardRealtimeError(message, { code, channel: channel.name, requestId })
      for (const { buffer } of channel.followers) buffer.fail(refusal)
    }
  }
}

type ServerFault = NonNullable<ServerMessage['error']>

function deliver(follower: Follower, message: ServerMessage): void {
  const { type, workspace_id: id = '', seq, from = 0, to } = message
  const { seqs, buffer } = follower
  if (!follower.isLive || seqs === null) return
  const last = seqs[id] ?? 0
  const isGap = type === 'gap'
  const next = isGap ? to : seq
  const isPositioned = typeof next === 'number'
  if (isPositioned && next <= last) return
  if (buffer.isFull) {
    // A line of a log is not sent again.
    if (isPositioned) follower.isBehind = !(follower.isLive = false)
    return
  }
  if (isPositioned) seqs[id] = next
  buffer.push((isGap ? { ...message, from: Math.max(from, last + 1) } : message) as RealtimeMessage)
}

/** The last `seq` seen by workspace id. A workspace that is missing is new: all of its events are wanted. */
type Seqs = Readonly<Record<string, number>>

const TASKS = 'tasks'

/** A position as the server sends it, for any channel. */
function toSeqs(channel: string, position: ChannelPosition): Seqs {
  return typeof position === 'number' ? { [channel.replace('workspace.', '')]: position } : { ...position }
}

/** The same for the server. */
function toPosition(channel: string, seqs: Seqs): ChannelPosition {
  return channel === TASKS ? seqs : (Object.values(seqs)[0] ?? 0)
}

/** Before all of them. */
function earliest(all: readonly Seqs[]): Seqs {
  const [first = {}, ...rest] = all
  const common = Object.entries(first).filter(([id]) => rest.every((seqs) => id in seqs))
  return Object.fromEntries(
    common.map(([id, seq]) => [id, Math.min(seq, ...rest.map((seqs) => seqs[id] ?? seq))]),
  )
}

/** Whether what follows `start` is all that is missing after `seqs`. */
function isCovered(seqs: Seqs, start: Seqs): boolean {
  return Object.entries(start).every(([id, seq]) => (seqs[id] ?? 0) >= seq)
}
