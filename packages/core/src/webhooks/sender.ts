/** One HTTP POST. */
export interface SendRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** For everything: finding the address, connecting, the answer's headers and its body. */
  readonly timeoutMs: number
  /** Gives the send up; its result is then `aborted`. */
  readonly signal: AbortSignal
}

/** Why there was no full answer. */
export type SendErrorKind = 'timeout' | 'refused_address' | 'tls' | 'network'

export type SendResult =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** The first 1,024 bytes of the answer's body, as text without NUL. */
      readonly excerpt: string
    }
  | {
      readonly kind: 'unanswered'
      readonly error: SendErrorKind
      /** A code such as `ECONNREFUSED`, or a short sentence; never an address, a URL or a secret. */
      readonly detail: string
    }
  /** Given up because `signal` asked for it. Unasked it counts as a failed attempt. */
  | { readonly kind: 'aborted' }

/** Carries deliveries to their endpoints. */
export interface Sender {
  /**
   * Sends a request once: no redirect is followed, nothing is tried again, at most 64 KiB of the answer are read (more
   * makes no failure). Only to addresses that the endpoint guard accepts. Never rejects.
   */
  send(request: SendRequest): Promise<SendResult>
  /** Ends all connections, those in use included, and leaves no handle open. */
  close(): Promise<void>
}
