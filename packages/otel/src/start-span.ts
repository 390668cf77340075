import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  TraceFlags,
  type Context,
  type Link,
  type SpanOptions,
  SpanStatusCode,
  type Span,
} from '@opentelemetry/api'
import type { SpanStart, TracedTask, SpanDetails } from '@taskboard/core/transport'
import { parseTraceparent, remoteContext } from './trace-context.js'

/** A span to start. */
export interface PlannedSpan {
  readonly name: string
  readonly options: SpanOptions
  readonly parent: Context
}

/** Whether a request with these headers may continue the trace that it names. */
export type IsTrusted = (header: (name: string) => string | undefined) => boolean

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** The limit of most SDKs and backends. */
const MOST_LINKS = 128

/** Names and attributes by the conventions for HTTP servers, messaging and GenAI. Literals, because to spread attributes takes longer. */
export function planSpan(start: SpanStart, isTrusted: IsTrusted): PlannedSpan {
  switch (start.kind) {
    case 'request':
      return planRequest(start, isTrusted)
    case 'add':
      return {
        name: 'add tasks',
        parent: context.active(),
        options: {
          kind: SpanKind.PRODUCER,
          attributes: {
            'messaging.system': 'taskboard',
            'messaging.operation.name': 'add',
            'messaging.operation.type': 'send',
            'messaging.destination.name': 'tasks',
            'messaging.batch.message_count': start.count,
            'taskboard.workspace.id': start.workspaceId,
          },
        },
      }
    case 'claim':
      return {
        name: 'claim tasks',
        // A loop claims, or a request of a worker that has a span of its own.
        parent: start.agentType === null ? context.active() : ROOT_CONTEXT,
        options: {
          kind: SpanKind.CLIENT,
          startTime: Date.now() - start.tookMs,
          links: start.tasks.flatMap(linkTo).slice(0, MOST_LINKS),
          attributes: {
            'messaging.system': 'taskboard',
            'messaging.operation.name': 'claim',
            'messaging.operation.type': 'receive',
            'messaging.destination.name': 'tasks',
            'messaging.batch.message_count': start.tasks.length,
            // Undefined is left out.
            'taskboard.agent.type': start.agentType ?? undefined,
          },
        },
      }
    case 'run':
      return planRun(start)
    case 'delivery':
      return {
        name: `deliver ${start.eventType}`,
        parent: remoteContext(start.traceparent),
        options: {
          kind: SpanKind.CLIENT,
          attributes: {
            'messaging.system': 'taskboard',
            'messaging.operation.name': 'deliver',
            'messaging.operation.type': 'send',
            'messaging.destination.name': 'webhooks',
            'messaging.message.id': start.deliveryId,
            'http.request.method': 'POST',
            'taskboard.event.type': start.eventType,
            'taskboard.delivery.attempt': start.attempt,
            'taskboard.workspace.id': start.workspaceId,
          },
        },
      }
  }
}

/** A stranger's trace is linked: as a parent it would put spans into traces of the stranger's choice, sampled as the stranger likes. */
function planRequest(
  { method: given, route, header }: Extract<SpanStart, { kind: 'request' }>,
  isTrusted: IsTrusted,
): PlannedSpan {
  const method = METHODS.has(given) ? given : '_OTHER'
  const active = context.active()
  // The host's own instrumentation may have a span for the request already.
  const isInside = trace.getSpan(active) !== undefined
  const traceparent = isInside ? undefined : header('traceparent')
  const continues = traceparent !== undefined && isTrusted(header)
  return {
    name: `${method === '_OTHER' ? 'HTTP' : method} ${route}`,
    parent: isInside ? active : remoteContext(continues ? traceparent : null),
    options: {
      kind: isInside ? SpanKind.INTERNAL : SpanKind.SERVER,
      links: continues ? [] : linkToStranger(traceparent),
      attributes: { 'http.request.method': method, 'http.route': route },
    },
  }
}

/** The run continues the trace of the request that added its task, and links to it as well, as the conventions ask. */
function planRun({ task, agentType, agentId, attempt }: Extract<SpanStart, { kind: 'run' }>): PlannedSpan {
  return {
    name: `run ${agentType}`,
    parent: remoteContext(task.traceparent),
    options: {
      kind: SpanKind.CONSUMER,
      links: linkTo(task),
      attributes: {
        'messaging.system': 'taskboard',
        'messaging.operation.name': 'run',
        'messaging.operation.type': 'process',
        'messaging.destination.name': 'tasks',
        'messaging.message.id': task.id,
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': agentId,
        'gen_ai.agent.name': agentType,
        'taskboard.agent.type': agentType,
        'taskboard.attempt': attempt,
        'taskboard.workspace.id': task.workspaceId,
      },
    },
  }
}

function linkTo({ id, traceparent }: TracedTask): Link[] {
  const spanContext = parseTraceparent(traceparent)
  return spanContext === null ? [] : [{ context: spanContext, attributes: { 'messaging.message.id': id } }]
}

function linkToStranger(traceparent: string | undefined): Link[] {
  const spanContext = parseTraceparent(traceparent)
  return spanContext === null ? [] : [{ context: { ...spanContext, traceFlags: TraceFlags.NONE } }]
}

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
 * Records the class, code and stack of an error without its message. An agent's message can contain anything, and stays in the task and in
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
