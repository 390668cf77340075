import type { z } from 'zod'
import type { Principal, Scope } from '../../access/index.js'
import type { TransportBoard } from '../../board/index.js'
import type { AuditActor } from '../../environment/index.js'
import { type InputOf, TaskboardError } from '../../errors/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import type { HttpRequest } from '../http.js'
import type { ClientMethod } from './client-methods.js'

/**
 * The workspace of a request: the given one, or the caller's default.
 * @throws TaskboardError `NOT_FOUND` (`workspaceId`) for one beyond the caller's reach, as for one that doesn't exist.
 */
export async function workspaceOf(
  services: TransportServices,
  principal: Principal,
  workspaceId: string | null | undefined,
): Promise<string> {
  const wanted = workspaceId ?? principal.defaultWorkspaceId
  if (await services.reach.includes(principal, wanted)) return wanted
  throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
}

/** The board of a task. @throws TaskboardError `TASK_NOT_FOUND`, including for a task beyond the caller's reach. */
export async function boardOfTask(
  services: TransportServices,
  principal: Principal,
  taskId: string,
): Promise<TransportBoard> {
  return services.board(await services.tasks.locate(principal, taskId))
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** The sections of the reference. */
type Tag =
  | 'auth'
  | 'account'
  | 'tasks'
  | 'approvals'
  | 'schedules'
  | 'agents'
  | 'analytics'
  | 'webhooks'
  | 'notifications'
  | 'messengers'
  | 'reference'

/** A request that has passed every check except existence. */
interface OperationCall<Params, Query, Body> {
  readonly services: TransportServices
  readonly request: HttpRequest
  readonly principal: Principal
  /** The caller, and from where it calls, for the audit. */
  readonly by: AuditActor
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Whether the caller reads a member of the answer. One that it doesn't read may be null instead of being worked out. */
  readonly isRead: (member: string) => boolean
}

/** The part of an operation that doesn't depend on its schemas. */
interface OperationTraits {
  /** The `operationId` of the reference: unique, as in `createTask`. */
  readonly id: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string | undefined
  readonly method: Method
  /** With the documented prefix and parameters in braces: `/v2/tasks/{task_id}`. */
  readonly path: `/v2/${string}`
  /** The method of a client that calls it. One that lists pages has a second, which reads all of them: see `clientTraits`. */
  readonly client: ClientMethod
  /**
   * Whether a second one changes nothing, so that a client may send it again when the response was lost. A read, a PATCH and a DELETE
   * without a body name the state that they lead to, and need not say so.
   */
  readonly repeatable?: boolean | undefined
  /** Only for users with an access token. API keys are rejected like a missing scope. */
  readonly userOnly?: boolean | undefined
  /** Only for users who have shown within ten minutes who they are. */
  readonly needsProof?: boolean | undefined
  /**
   * A read so cheap that it starts before the limits are decided. Its result is discarded, and never sent, when they reject.
   */
  readonly beginsEarly?: boolean | undefined
  /** Takes an `Idempotency-Key` header. */
  readonly idempotent?: boolean | undefined
  readonly params?: z.ZodObject | undefined
  readonly query?: z.ZodObject | undefined
  /**
   * Absent: a body is neither read nor rejected. A request without a body counts as `{}`. Undeclared members are rejected, in the
   * query too.
   */
  readonly body?: z.ZodObject | undefined
  /** A body that passes every check but whether what it names exists. */
  readonly example?: object | undefined
  readonly answer: Answer
  /** Wire names of the library's fields, if they aren't the snake_case form: `{ dueDate: 'deadline' }`. */
  readonly wireFields?: Readonly<Record<string, string>> | undefined
}

/** The form of a success. */
type Answer =
  | { readonly status: 200 | 201 | 202; readonly schema: z.ZodType }
  /** No body. */
  | { readonly status: 204 }
  /** A text of another media type. */
  | { readonly status: 200; readonly mediaType: string; readonly headers?: Readonly<Record<string, string>> }

/** An operation for callers with a credential. */
export interface ProtectedOperation extends OperationTraits {
  /** The scope that the credential must have; `any` when any scope is enough. */
  readonly scope: Scope | 'any'
  /** Returns the answer: the value of the JSON body, the text for another media type, nothing for 204. */
  run(call: OperationCall<unknown, unknown, unknown>): unknown
}

/** An operation that requires no credential. */
interface PublicOperation extends OperationTraits {
  readonly scope: 'none'
  run(call: Omit<OperationCall<unknown, unknown, unknown>, 'principal' | 'by' | 'isRead'>): unknown
}

/** What `run` returns for a form of success. */
type Answered<A extends Answer> = A extends { readonly schema: infer Schema extends z.ZodType }
  ? InputOf<Schema>
  : A extends { readonly mediaType: string }
    ? string
    : void

export type Operation = ProtectedOperation | PublicOperation

type Out<Schema extends z.ZodObject | undefined> = Schema extends z.ZodObject
  ? z.output<Schema>
  : Readonly<Record<string, never>>

interface Schemas<P, Q, B, A> {
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly answer: A
}

/** A POST says what a client may do when its response was lost. */
type Repeats =
  | { readonly method: Exclude<Method, 'POST'>; readonly repeatable?: boolean }
  | { readonly method: 'POST'; readonly idempotent: true }
  | { readonly method: 'POST'; readonly repeatable: boolean }

/** A body that has members has an example. */
type Exemplified<B> = B extends z.ZodObject
  ? keyof B['shape'] extends never
    ? unknown
    : { readonly example: z.input<B> }
  : unknown

/** The declaration of an operation: everything except the parts that depend on its schemas, with these. */
type Declared<Declaration extends OperationTraits, P, Q, B, A> = Omit<
  Declaration,
  'params' | 'query' | 'body' | 'example' | 'answer' | 'run'
> &
  Schemas<P, Q, B, A> &
  Exemplified<B> &
  Repeats

/** Declares an operation for callers with a credential. The schemas give the types of what `run` receives and returns. */
export function operation<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodObject | undefined = undefined,
  const A extends Answer = Answer,
>(
  declared: Declared<ProtectedOperation, P, Q, B, A> & {
    run(call: OperationCall<Out<P>, Out<Q>, Out<B>>): Answered<A> | Promise<Answered<A>>
  },
): ProtectedOperation {
  return { ...declared, body: declared.body?.strict() }
}

/** Declares an operation that requires no credential. */
export function publicOperation<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodObject | undefined = undefined,
  const A extends Answer = Answer,
>(
  declared: Declared<Omit<PublicOperation, 'scope'>, P, Q, B, A> & {
    run(
      call: Omit<OperationCall<Out<P>, Out<Q>, Out<B>>, 'principal' | 'by' | 'isRead'>,
    ): Answered<A> | Promise<Answered<A>>
  },
): PublicOperation {
  return { ...declared, body: declared.body?.strict(), scope: 'none' }
}
