declare module 'autocannon' {
  interface Options {
    readonly url: string
    readonly connections: number
    readonly duration: number
    readonly requests: readonly {
      readonly method: 'GET' | 'POST'
      readonly path: string
      readonly headers: Readonly<Record<string, string>>
      readonly body?: string
    }[]
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
