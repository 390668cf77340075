/** An address that a name stands for. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** Turns host names into addresses. Asked anew for each connection; the connection then goes to one of the answers. */
export interface Resolver {
  /** All addresses of `hostname`, in order of preference. Rejects when there are none or they cannot be found out. */
  resolve(hostname: string): Promise<readonly ResolvedAddress[]>
}
