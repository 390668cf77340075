/**
 * Names with similar meanings in the two APIs, and in others that a caller may know. If one name of a row is unknown and another is
 * known, the caller probably meant the known one.
 */
const ALIKE: readonly (readonly string[])[] = [
  ['due_date', 'deadline', 'due', 'due_at'],
  ['title', 'name', 'summary'],
  ['description', 'details', 'body', 'notes'],
  ['message', 'text', 'content', 'prompt', 'reason'],
  ['task_id', 'id', 'task'],
  ['to', 'column', 'target'],
  ['agent_id', 'assigned_to', 'assignee', 'agent'],
  ['workspace_id', 'workspace', 'board'],
  ['tags', 'labels'],
  ['type', 'kind'],
  ['metadata', 'meta'],
  ['depends_on', 'dependencies', 'blocked_by'],
  ['not_before', 'start_at', 'starts_at', 'scheduled_at'],
  ['events', 'event', 'event_types', 'topics'],
  ['url', 'endpoint', 'callback_url', 'target_url'],
  ['limit', 'first', 'count', 'page_size', 'per_page'],
  ['cursor', 'next_cursor', 'after', 'page', 'page_token', 'offset'],
  ['email', 'mail', 'login', 'username', 'user'],
  ['mfa_code', 'code', 'otp', 'totp'],
  ['expires_at', 'expires', 'expiry'],
  ['lease_s', 'lease_ms', 'lease', 'lease_seconds'],
  ['overlap_s', 'overlap_ms', 'overlap', 'overlap_seconds'],
  ['fencing_token', 'token', 'lease_token'],
  ['delivery_id', 'event_id', 'delivery'],
  ['from', 'since', 'start'],
  ['to', 'until', 'end'],
]

const LONGEST = 32

/** The one of `known` that a caller probably meant by `name`; null when there is none. */
export function suggestName(name: string, known: Iterable<string>): string | null {
  if (name.length > LONGEST) return null
  const plain = plainly(name)
  const candidates = [...known]
  return (
    candidates.find((each) => plainly(each) === plain) ??
    candidates.find((each) =>
      ALIKE.some((row) => row.includes(each) && row.some((one) => plainly(one) === plain)),
    ) ??
    nearest(plain, candidates)
  )
}

/** `dueDate`, `DUE-DATE` and `due_date` are the same. */
function plainly(name: string): string {
  return name.replaceAll(/[_\- ]/g, '').toLowerCase()
}

/** The nearest name within one typing error for short names, two for longer ones. */
function nearest(plain: string, candidates: readonly string[]): string | null {
  let best: string | null = null
  let least = plain.length < 5 ? 1 : 2
  if (plain.length < 3) return null
  for (const candidate of candidates) {
    const distance = editDistance(plain, plainly(candidate))
    if (distance < least || (distance === least && best === null)) {
      best = candidate
      least = distance
    }
  }
  return best
}

/** How many letters must be inserted, deleted, replaced or swapped with the next to turn one text into the other. */
function editDistance(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + cost,
        isSwap ? at(before, j - 2) + 1 : Infinity,
      )
    }
    before = last
    last = row
  }
  return at(last, other.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity
}
