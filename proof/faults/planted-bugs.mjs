/** Faults of the product and of its server that a run has to find, by one of the `rules`. Of the shape of `proof/simulation/planted-bugs.mjs`. */
export const plantedBugs = [
  {
    name: 'a refused webhook counts as delivered',
    rules: ['each delivery arrives'],
    file: 'packages/core/src/webhooks/delivery-attempt.ts',
    faults: { errorOf: '< 300 -> < 600' },
  },
  {
    name: 'commits do not wait for the log of the server',
    rules: ['an acknowledged task is there'],
    file: 'proof/faults/database-under-test.ts',
    faults: {
      oneServer: "'fsync=off' -> 'fsync=off', 'synchronous_commit=off', 'wal_writer_delay=10s'",
    },
  },
  {
    name: 'replay off by one',
    rules: ['each reader of the feed and of the realtime channel sees each event once, in order'],
    file: 'packages/core/src/realtime/catch-up.ts',
    faults: { query: 'logSubscription.position -> logSubscription.position + 1' },
  },
]
