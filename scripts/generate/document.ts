/** A JSON Schema, as far as the OpenAPI document uses it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: object }>>

/** An action of the board API, whose operations are told apart by it. */
export interface BoardAction {
  readonly scope: string
  readonly client: string
  readonly summary: string
  readonly idempotent?: boolean
  readonly repeatable: boolean
  readonly body?: string
  readonly answer?: string
  readonly example?: object
}

interface OperationDescription {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly unknown[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: 'path' | 'query' | 'header'
    readonly required: boolean
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
  readonly 'x-scope'?: string
  readonly 'x-access-token-only'?: boolean
  readonly 'x-taskboard'?:
    | { readonly client: string; readonly all?: string; readonly repeatable: boolean }
    | { readonly actions: Readonly<Record<string, BoardAction>> }
}

interface EventDescription extends Pick<OperationDescription, 'summary' | 'requestBody'> {
  readonly 'x-taskboard': { readonly realtime: boolean }
}

/** The part of an OpenAPI document that clients are made from. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDescription>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: EventDescription }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly 'x-taskboard': { readonly client_groups: Readonly<Record<string, string>> }
}

/** An operation with its method in upper case and its path as documented. */
export interface DocumentedOperation extends OperationDescription {
  readonly method: string
  readonly path: string
}

export function operationsOf({ paths }: Document): readonly DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
}

export function contentOf(content: Content | undefined): Schema {
  return Object.values(content ?? {})[0]?.schema ?? {}
}

/** The success of an operation: its media type and its schema, undefined without a body. */
export function successOf({
  responses,
}: DocumentedOperation): readonly [string | undefined, Schema | undefined] {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const [media, content] = Object.entries(success?.content ?? {})[0] ?? []
  return [media, content?.schema]
}

/** `Error` is a global class. */
export function componentName(name: string): string {
  return name === 'Error' ? 'ErrorBody' : name
}

export function sentences(...parts: readonly (string | undefined)[]): string {
  return parts.flatMap((part) => (part ? [part.replace(/([^.!?:])$/, '$1.')] : [])).join(' ')
}
