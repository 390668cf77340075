import { TaskboardError } from '@taskboard/core'

/** A query for `pg`. With a `name` the server keeps its plan for the connection. */
export interface PgQuery {
  readonly text: string
  readonly values: unknown[]
  readonly name?: string | undefined
}

/** What runs queries. */
export interface PgQueryable {
  query(query: PgQuery): Promise<{ readonly rows: unknown[] }>
}

/** A connection with an open transaction: `tx` of `taskboard.transaction`, or a client of your pool of `pg` after `begin`. */
export interface PgConnection extends PgQueryable {
  query(query: PgQuery): Promise<{ readonly rows: unknown[] }>
  /** `Row` is the row that you expect, unchecked. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- callers of `pg` name the type of the rows here
  query<Row = unknown>(text: string, values?: readonly unknown[]): Promise<{ readonly rows: Row[] }>
}

/** The part of a `pg.PoolClient` that is used here. */
export interface PgPoolClient extends PgQueryable {
  /** Releases the connection, or (with an error or true) closes it. */
  release(broken?: Error | boolean): void
  /** Clients emit an error here when an idle connection is lost. */
  on?(event: 'error', listener: (error: Error) => void): unknown
  removeListener?(event: 'error', listener: (error: Error) => void): unknown
}

/** Any pool that looks like `pg.Pool`. The host owns it: Taskboard changes no setting of its sessions and doesn't end it. */
export interface PgPool extends PgQueryable {
  connect(): Promise<PgPoolClient>
  /** As `connect`, for a statement of background work, which lets waiting callers go first. `work` names it. */
  connectLater?(work: string): Promise<PgPoolClient>
  /** As in `pg.Pool`. With a `max` of 1, a call inside `taskboard.transaction` without its `tx` is rejected. */
  readonly options?: { readonly max?: unknown } | undefined
  /** Whether only this pool can use the database, so that commits need no notification. Default false. */
  readonly isSoleUser?: boolean | undefined
}

/** @throws TaskboardError `INVALID_CONFIG` naming the option, and not its value, which can hold a password. */
export function requirePool(field: string, pool: unknown): void {
  if (typeof pool === 'object' && pool !== null && 'connect' in pool && typeof pool.connect === 'function')
    return
  throw new TaskboardError(
    'INVALID_CONFIG',
    `${field} must be a pool, such as new pg.Pool({ connectionString })`,
    {
      field,
    },
  )
}
