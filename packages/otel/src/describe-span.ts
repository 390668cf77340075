import { SpanStatusCode, type Span } from '@opentelemetry/api'
import type { SpanDetails } from '@taskboard/core/transport'

const SERVER_ERROR = 500

/** Adds what became known. */
export function describeSpan(span: Span, { status, outcome, taskIds, error }: SpanDetails): void {
  if (status !== undefined) {
    span.setAttribute('http.response.status_code', status)
    if (status >= SERVER_ERROR) {
      span.setAttribute('error.type', String(status))
      span.setStatus({ code: SpanStatusCode.ERROR })
    }
  }
  if (outcome !== undefined) span.setAttribute('taskboard.outcome', outcome)
  const [taskId] = taskIds ?? []
  if (taskId !== undefined && taskIds?.length === 1) span.setAttribute('messaging.message.id', taskId)
  if (error !== undefined) recordError(span, error)
}

/**
 * Records the class, code and stack of an error without its message: an agent's message can contain anything, and stays in the task and in
 * the log. Texts are the library's own.
 */
export function recordError(span: Span, error: unknown): void {
  if (typeof error === 'string') {
    span.setStatus({ code: SpanStatusCode.ERROR, message: error })
    return
  }
  const { type, frames } = readError(error)
  span.setAttribute('error.type', type)
  span.addEvent('exception', { 'exception.type': type, 'exception.stacktrace': [type, ...frames].join('\n') })
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function readError(error: unknown): { readonly type: string; readonly frames: readonly string[] } {
  if (!(error instanceof Error)) return { type: '_OTHER', frames: [] }
  const { name, code, stack = '', message } = error as Error & { readonly code?: unknown }
  // The message stands before the frames, and can have lines that look like them.
  const behind =
    message !== '' && stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : stack
  const frames = behind.split('\n').filter((line) => /^\s+at /.test(line))
  return { type: typeof code === 'string' ? code : name, frames }
}
