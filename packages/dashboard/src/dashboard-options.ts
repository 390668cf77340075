export interface DashboardOptions {
  /** With the host's login: where the dashboard sends people who aren't logged in. `http(s)`, or a path of this origin. */
  readonly loginUrl?: string | undefined
  /** The `path` of `attachRealtime`, if you gave it one. Default `/v2/realtime`, adjusted by `paths.v2`. */
  readonly realtimePath?: string | undefined
  /**
   * The folder of the built application. Default: the one in this package. For a server that is bundled into one file, and installed
   * without its packages.
   */
  readonly folder?: string | undefined
}
