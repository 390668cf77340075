import { TaskboardError } from '@taskboard/core'
import type { FeedPosition } from '@taskboard/core/storage'

/**
 * A place in the feed, which is in the order of (`feed_xid`, `workspace_id`, `seq`): everything up to it has been read. While
 * `feedXid` is below `seenUntil`, so has that of the workspaces in `seen` up to a `seq`.
 */
export interface FeedPlace {
  readonly feedXid: string
  readonly workspaceId: string
  readonly seq: string
  /** `workspace:seq` pairs with commas between; empty for none. */
  readonly seen: string
  readonly seenUntil: string
}

const POSITION =
  /^(\d{1,19})\/([a-z0-9_]{0,64})\/(\d{1,15})(?:\/(\d{1,19})\/((?:[a-z0-9_]{1,64}:\d{1,15},?)+))?$/
const LARGEST_XID = 2n ** 63n - 1n

/** The position as text: `feed_xid/workspace_id/seq`, and behind that, seldom, `until/workspace_id:seq,…`. */
export function toPosition({ feedXid, workspaceId, seq, seen, seenUntil }: FeedPlace): FeedPosition {
  const base = `${feedXid}/${workspaceId}/${seq}`
  return seen === '' || BigInt(feedXid) >= BigInt(seenUntil) ? base : `${base}/${seenUntil}/${seen}`
}

/** @throws TaskboardError `INVALID_FIELD` for a text that is no position. */
export function parsePosition(position: FeedPosition): FeedPlace {
  const [, feedXid = '', workspaceId = '', seq = '', seenUntil = '0', seen = ''] =
    POSITION.exec(position) ?? []
  if (feedXid === '' || BigInt(feedXid) > LARGEST_XID || BigInt(seenUntil) > LARGEST_XID) {
    throw new TaskboardError('INVALID_FIELD', 'position must be one that the feed gave', {
      field: 'position',
    })
  }
  return { feedXid, workspaceId, seq, seen, seenUntil }
}
