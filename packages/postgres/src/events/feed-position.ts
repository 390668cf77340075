import { TaskboardError } from '@taskboard/core'
import type { FeedPosition } from '@taskboard/core/storage'

/**
 * A place in the feed, which is ordered by (`feed_xid`, `workspace_id`, `seq`): everything up to it has been read. While
 * `feedXid` is below `seenUntil`, the events of the workspaces in `seen` up to their `seq` have been read as well.
 */
export interface FeedPlace {
  readonly feedXid: string
  readonly workspaceId: string
  readonly seq: string
  /** `workspace:seq` pairs separated by commas; empty for none. */
  readonly seen: string
  readonly seenUntil: string
}

const POSITION =
  /^(\d{1,19})\/([a-z0-9_]{0,64})\/(\d{1,15})(?:\/(\d{1,19})\/((?:[a-z0-9_]{1,64}:\d{1,15},?)+))?$/
const LARGEST_XID = 2n ** 63n - 1n

/** The position as text: `feed_xid/workspace_id/seq`, rarely followed by `until/workspace_id:seq,…`. */
export function toPosition({ feedXid, workspaceId, seq, seen, seenUntil }: FeedPlace): FeedPosition {
  const base = `${feedXid}/${workspaceId}/${seq}`
  return seen === '' || BigInt(feedXid) >= BigInt(seenUntil) ? base : `${base}/${seenUntil}/${seen}`
}

/** @throws TaskboardError `INVALID_FIELD` for a text that is not a position. */
export function parsePosition(position: FeedPosition): FeedPlace {
  const [, feedXid = '', workspaceId = '', seq = '', seenUntil = '0', seen = ''] =
    POSITION.exec(position) ?? []
  if (feedXid === '' || BigInt(feedXid) > LARGEST_XID || BigInt(seenUntil) > LARGEST_XID) {
    throw new TaskboardError('INVALID_FIELD', 'position must be one that the feed returned', {
      field: 'position',
    })
  }
  return { feedXid, workspaceId, seq, seen, seenUntil }
}
