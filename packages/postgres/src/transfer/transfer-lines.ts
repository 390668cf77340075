import { TaskboardError } from '@taskboard/core'

/** Grows with changes of the lines that earlier versions can't read. */
export const FORMAT = 1

/** The first line of an export. */
export interface ExportHeader {
  readonly taskboard_export: number
  /** The newest migration of the database. An import requires the same one. */
  readonly schema: string
  readonly accountId?: string
  readonly workspaceId?: string
  /** The last event of each workspace. */
  readonly positions: Readonly<Record<string, string>>
  /** How many rows of each table follow. */
  readonly counts: Readonly<Record<string, number>>
  readonly rows: number
}

/** @throws TaskboardError `INVALID_FIELD` when the line isn't the header of an export. */
export function readHeader(line: string): ExportHeader {
  let header: Partial<ExportHeader> | null = null
  try {
    header = JSON.parse(line) as Partial<ExportHeader> | null
  } catch {
    // Not JSON.
  }
  if (typeof header?.taskboard_export !== 'number' || typeof header.rows !== 'number') {
    throw invalid('line 1 is not the header of an export')
  }
  if (header.taskboard_export !== FORMAT) {
    throw invalid(`the export has format ${header.taskboard_export}, and this version reads ${FORMAT}`)
  }
  return header as ExportHeader
}

/** Rows have few levels, and inputs of approvals have those that requests can have. A database fails at thousands. */
const DEEPEST = 500

/** Whether text is one JSON value that a database can read. */
export function isReadable(text: string): boolean {
  try {
    return isShallow(JSON.parse(text), DEEPEST)
  } catch {
    return false
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1))
}

export function invalid(message: string, cause?: unknown): TaskboardError {
  return new TaskboardError('INVALID_FIELD', message, { field: 'lines', cause })
}
