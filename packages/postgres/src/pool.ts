/** A query as `pg` takes it. With a `name` the server keeps its plan for the connection. */
export interface PgQuery {
  readonly text: string
  readonly values: unknown[]
  readonly name?: string | undefined
}

/** What is used of a `pg.Client`, and all that a transaction of the host's needs to be. */
export interface PgConnection {
  query(query: PgQuery): Promise<{ readonly rows: unknown[] }>
}

/** What is used of a `pg.PoolClient`. */
export interface PgPoolClient extends PgConnection {
  /** Gives the connection back, or (with an error or true) closes it. */
  release(broken?: Error | boolean): void
  /** Where clients tell of a connection that was lost while nothing was asked of it. */
  on?(event: 'error', listener: (error: Error) => void): unknown
  removeListener?(event: 'error', listener: (error: Error) => void): unknown
}

/** Any pool that looks like `pg.Pool`. It stays the host's: nothing sets its session, and nothing ends it. */
export interface PgPool extends PgConnection {
  connect(): Promise<PgPoolClient>
  /** As `connect`, for a statement of background work, which lets those go first for whom somebody waits. `work` names it. */
  connectLater?(work: string): Promise<PgPoolClient>
  /** As `pg.Pool` has them. With a `max` of 1, a call inside `taskboard.transaction` that lacks its `tx` is refused. */
  readonly options?: { readonly max?: unknown } | undefined
  /** Whether nobody can use the database beside this pool, so that there is nobody to tell of commits. Default false. */
  readonly isSoleUser?: boolean | undefined
}
