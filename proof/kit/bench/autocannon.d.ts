declare module 'autocannon' {
  interface Request {
    readonly method: 'GET' | 'POST'
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }
  interface Options {
    readonly url: string
    readonly connections: number
    readonly duration: number
    readonly requests?: readonly Request[]
    /** Called for each connection before it begins. */
    readonly setupClient?: (client: { setRequests(requests: readonly Request[]): void }) => void
  }
  interface Result {
    readonly requests: { readonly total: number }
    readonly latency: { readonly p99: number }
    readonly duration: number
    readonly errors: number
    readonly non2xx: number
  }
  export default function autocannon(options: Options): Promise<Result>
}
