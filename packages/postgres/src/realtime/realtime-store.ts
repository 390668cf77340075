import type { RealtimeStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { acquireSlot } from './acquire-slot.js'
import { closeHolder } from './close-holder.js'
import { openHolder } from './open-holder.js'
import { readLogEnds } from './read-log-ends.js'
import { releaseSlots } from './release-slots.js'
import { renewHolder } from './renew-holder.js'

/** Connections of the realtime channel across all processes. Nothing waits for its writes, so they signal no commit. */
export function createRealtimeStore(database: Database): RealtimeStore {
  return {
    leaseHolder: ({ holderId, leaseMs, step }, at) =>
      step === 'begin'
        ? openHolder(database, holderId, leaseMs, at)
        : renewHolder(database, holderId, leaseMs, at),
    acquireSlot: (request, at) => acquireSlot(database, request, at),
    releaseSlots: (release) =>
      'holderId' in release
        ? closeHolder(database, release.holderId)
        : releaseSlots(database, release.slotIds),
    readLogEnds: (query) => readLogEnds(database, query),
  }
}
