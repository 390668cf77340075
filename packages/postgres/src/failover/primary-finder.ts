import type { Host, HostList } from './hosts.js'
import { createProbe, type PgClient, type ServerState } from './probe.js'

/** Knows which of several servers to connect to. */
export interface Finder {
  /** The server to connect to, as soon as there is one. @throws when there is none within the time. */
  find(atMostMs: number): Promise<Host>
  /** Whether a server is still, or again, what is looked for. Remembers its timeline. */
  accepts(state: ServerState): boolean
  /** Looks regularly until `close`. */
  watch(): void
  close(): void
}

const LOOK_AGAIN_MS = 200
/** How long servers may take to respond after the first usable one: one of them may have been promoted since. */
const GRACE_MS = 250

export function createFinder(
  { hosts, target }: HostList,
  open: () => PgClient,
  checkIntervalMs: number,
  onMoved: (to: Host) => void,
): Finder {
  const probes = hosts.map((host) => createProbe(open, host))
  /** The highest timeline of a primary that this process has seen: one with a lower timeline has been replaced. */
  let newest = 0
  let looking: Promise<ServerState | null> | undefined
  let timer: NodeJS.Timeout | undefined

  function accepts(state: ServerState): boolean {
    if (state.isStandby) return target === 'standby'
    newest = Math.max(newest, state.timeline)
    return target === 'primary' && state.timeline === newest
  }

  async function askAll(): Promise<ServerState | null> {
    const found: ServerState[] = []
    let graceIsOver: (() => void) | undefined
    const grace = new Promise<void>((resolve) => (graceIsOver = resolve))
    const asked = probes.map(async (probe) => {
      const state = await probe.ask()
      if (state === null || !accepts(state)) return
      found.push(state)
      if (found.length === 1) setTimeout(() => graceIsOver?.(), GRACE_MS).unref()
    })
    await Promise.race([Promise.all(asked), grace])
    // Those that answered first may have been outdone by a later one.
    return found.find((state) => accepts(state)) ?? null
  }

  function look(): Promise<ServerState | null> {
    looking ??= askAll().finally(() => (looking = undefined))
    return looking
  }

  async function check(): Promise<void> {
    const before = newest
    const found = await look()
    if (found !== null && target === 'primary' && newest > before) onMoved(found)
  }

  return {
    accepts,
    async find(atMostMs) {
      const deadline = performance.now() + atMostMs
      for (;;) {
        const before = newest
        const found = await look()
        if (found !== null) {
          if (target === 'primary' && newest > before) onMoved(found)
          return found
        }
        if (performance.now() + LOOK_AGAIN_MS > deadline) throw noServer(target)
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
      }
    },
    watch() {
      timer ??= setInterval(() => void check(), checkIntervalMs).unref()
    },
    close() {
      clearInterval(timer)
      timer = undefined
      for (const probe of probes) probe.close()
    },
  }
}

/** Classified as an outage, as when a server starts up. */
export function noServer(target: HostList['target']): Error {
  return Object.assign(new Error(`none of the servers is a ${target} that can be reached`), { code: '57P03' })
}
