/** One HTTP POST. */
export interface SendRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The timeout for everything: resolving the address, connecting, the answer's headers and its body. */
  readonly timeoutMs: number
  /** Aborts the send; its result is then `aborted`. */
  readonly signal: AbortSignal
}

/** Why there was no full response. */
export type SendErrorKind = 'timeout' | 'refused_address' | 'tls' | 'network'

export type SendResult =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** The first 1,024 bytes of the response's body, as text without NUL. */
      readonly excerpt: string
    }
  | {
      readonly kind: 'unanswered'
      readonly error: SendErrorKind
      /** A code such as `ECONNREFUSED`, or a short sentence; never an address, a URL or a secret. */
      readonly detail: string
    }
  /** Aborted by `signal`. Without that, it counts as a failed attempt. */
  | { readonly kind: 'aborted' }

/** Carries deliveries to their endpoints. */
export interface Sender {
  /**
   * Sends a request once, only to addresses that the endpoint guard accepts. Follows no redirect and doesn't retry. Reads at most
   * 64 KiB of the answer; a longer answer isn't a failure. Never rejects.
   */
  send(request: SendRequest): Promise<SendResult>
  /** Closes all connections, including those in use, and leaves no handle open. */
  close(): Promise<void>
}
