import type { Dispatcher } from './undici.js'
import { createExcerpt, type Excerpt } from './excerpt.js'
import { describeFault } from './send-fault.js'
import type { SendResult } from './sender.js'

/**
 * Turns undici's callbacks for one request into the result of a send, without a stream or promise. Ends once: with a full answer
 * (or as much of it as is read), an error, or the result passed to `end`.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #onEnd: (result: SendResult) => void
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #excerpt: Excerpt | undefined
  #hasEnded = false

  /** `onEnd` is called once. */
  constructor(onEnd: (result: SendResult) => void) {
    this.#onEnd = onEnd
  }

  /** Aborts the request and its connection; no effect once it has ended. */
  end(result: SendResult): void {
    if (this.#hasEnded) return
    this.#settle(result)
    this.#controller?.abort(new Error('aborted'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It was aborted while it waited for a connection.
    if (this.#hasEnded) controller.abort(new Error('aborted'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#excerpt ??= createExcerpt()
    if (!this.#excerpt.add(chunk)) this.end(this.#answered())
  }

  onResponseEnd(): void {
    this.#settle(this.#answered())
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settle({ kind: 'unanswered', ...describeFault(error) })
  }

  #answered(): SendResult {
    return { kind: 'answered', status: this.#status, excerpt: this.#excerpt?.text() ?? '' }
  }

  #settle(result: SendResult): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#onEnd(result)
  }
}
