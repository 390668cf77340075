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
    openHolder: (holderId, leaseMs, at) => openHolder(database, holderId, leaseMs, at),
    renewHolder: (holderId, leaseMs, at) => renewHolder(database, holderId, leaseMs, at),
    acquireSlot: (request, at) => acquireSlot(database, request, at),
    releaseSlots: (slotIds, at) => releaseSlots(database, slotIds, at),
    closeHolder: (holderId, at) => closeHolder(database, holderId, at),
    readLogEnds: (reach, workspaceId, at) => readLogEnds(database, reach, workspaceId, at),
  }
}
