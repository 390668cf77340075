import { TaskboardError } from '@taskboard/core'

/** A claim of a task: what an agent needs for each further write to it. */
export interface Run {
  readonly taskId: string
  readonly agentId: string
  readonly fencingToken: number
}

const PREFIX = 'run_'
const LONGEST = 400

/**
 * The handle of a run for the model, which passes it back unread. It is encoded and not signed. The storage compares its fencing token with
 * the one of the task, and the credential decides which tasks it reaches. A forged one therefore allows no more than the same request to
 * the REST API.
 */
export function encodeRun({ taskId, agentId, fencingToken }: Run): string {
  return PREFIX + Buffer.from(JSON.stringify([taskId, agentId, fencingToken])).toString('base64url')
}

/** @throws TaskboardError `INVALID_FIELD` (`run`) for any text that isn't a handle. */
export function decodeRun(handle: string): Run {
  const run =
    handle.startsWith(PREFIX) && handle.length <= LONGEST ? parse(handle.slice(PREFIX.length)) : null
  if (run !== null) return run
  throw new TaskboardError('INVALID_FIELD', 'run must be the run that claim_task returned', { field: 'run' })
}

function parse(text: string): Run | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (!Array.isArray(value) || value.length !== 3) return null
    const [taskId, agentId, fencingToken] = value as readonly unknown[]
    if (!isId(taskId) || !isId(agentId) || !isToken(fencingToken)) return null
    return { taskId, agentId, fencingToken }
  } catch {
    return null
  }
}

function isToken(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 64
}
