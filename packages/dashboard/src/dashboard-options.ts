export interface DashboardOptions {
  /** Where the dashboard is, below the mount path. Default `/dashboard`. */
  readonly path?: string | undefined
  /**
   * The dashboard's path as browsers see it, for a proxy that rewrites what is before `path`. Default: as the server sees it, with the
   * mount path.
   */
  readonly publicPath?: string | undefined
  /** With the host's login: where the dashboard sends people who are not logged in. `http(s)`, or a path of this origin. */
  readonly loginUrl?: string | undefined
  /** The `path` of `attachRealtime`, if you gave it one. Default `/v2/realtime`, adjusted by `paths.enterprise`. */
  readonly realtimePath?: string | undefined
  /**
   * The folder of the built application. Default: the one in this package. For a server that is bundled into one file, and installed
   * without its packages.
   */
  readonly folder?: string | undefined
}
