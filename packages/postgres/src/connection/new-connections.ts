import type { PgPool, PgPoolClient } from './pool.js'

interface Emitter {
  on(event: 'connect', listener: (client: PgPoolClient) => void): unknown
}

const guarded = new WeakSet<PgPool>()
const ignore = (): void => undefined

/**
 * Keeps the process alive when a connection is lost in the moment in which it opens. `pg` may read that it is open and that it is lost
 * from one packet, before whoever waits for it can listen for errors, and an error event without a listener ends the process. The next
 * statement on the connection rejects. Once for each pool.
 */
export function guardNewConnections(pool: PgPool): void {
  if (guarded.has(pool) || !('on' in pool) || typeof pool.on !== 'function') return
  guarded.add(pool)
  const emitter = pool as PgPool & Emitter
  emitter.on('connect', (client) => {
    client.on?.('error', ignore)
    setImmediate(() => client.removeListener?.('error', ignore))
  })
}
