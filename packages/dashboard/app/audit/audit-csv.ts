import type { AuditRecord } from '@taskboard/client'

const columns: readonly (readonly [string, (record: AuditRecord) => string | number | null])[] = [
  ['at', ({ at }) => at],
  ['action', ({ action }) => action],
  ['outcome', ({ outcome }) => outcome],
  ['count', ({ count }) => count],
  ['by_kind', ({ by }) => by.kind],
  ['by_id', ({ by }) => by.id],
  ['by_name', ({ by }) => by.name],
  ['session_id', ({ by }) => by.session_id],
  ['client_address', ({ by }) => by.client_address],
  ['request_id', ({ by }) => by.request_id],
  ['target_kind', ({ target }) => target?.kind ?? null],
  ['target_id', ({ target }) => target?.id ?? null],
  ['details', ({ details }) => JSON.stringify(details)],
  ['id', ({ id }) => id],
]

/**
 * A cell as RFC 4180 has it. Spreadsheets run what begins like a formula. Some take other separators than a comma, or lose the quotes. Each
 * sign that a formula can begin with therefore gets an apostrophe before it, behind separators, quotes and spaces too.
 */
function cell(value: string | number | null): string {
  const text = String(value ?? '')
  const safe = text.replaceAll(/(^|[,;|"\s])([=+\-@])/g, "$1'$2")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Records as a CSV file with a line of names. */
export function toCsv(records: readonly AuditRecord[]): string {
  const lines = records.map((record) => columns.map(([, valueOf]) => cell(valueOf(record))))
  return [columns.map(([name]) => name), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')
}
