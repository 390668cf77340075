interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: Body }>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Body {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

/** What says that a value is not free text. */
const LIMITING = ['enum', 'const', 'format'] as const

/** Every free text that requests take, such as `POST /v2/tasks tags[]`. */
export function textFieldsOf(document: OpenApi): readonly string[] {
  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
        textsIn(document, schema, '').map((field) => `${method.toUpperCase()} ${path} ${field}`),
      ),
    ),
  )
  return [...new Set(found)]
}

function textsIn(document: OpenApi, schema: Schema, path: string): readonly string[] {
  const { $ref, properties = {}, items, additionalProperties: rest, type } = schema
  if ($ref !== undefined) {
    return textsIn(document, document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, path)
  }
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  const inside: (readonly [Schema, string])[] = [
    ...alternatives.map((each) => [each, path] as const),
    ...Object.entries(properties).map(
      ([name, each]) => [each, path === '' ? name : `${path}.${name}`] as const,
    ),
    ...(items === undefined ? [] : [[items, `${path}[]`] as const]),
    ...(typeof rest === 'object' ? [[rest, `${path}.*`] as const] : []),
  ]
  const isLimited = LIMITING.some((name) => name in schema)
  // A schema without a type takes any value.
  const isText = type === undefined ? alternatives.length === 0 : [type].flat().includes('string')
  return [
    ...(isText && !isLimited && path !== '' ? [path] : []),
    ...inside.flatMap(([each, at]) => textsIn(document, each, at)),
  ]
}

/** Texts that are not written by the test, each with the reason. */
export const exceptions: readonly { readonly fields: RegExp; readonly reason: string }[] = [
  {
    fields: / (?:.*\.)?(?:assigned_to|parent_id|task_id|workspace_id|agent_id|delivery_id|depends_on\[\])$/,
    reason: 'the id of something that exists: all others are refused',
  },
  {
    fields:
      /^(?:POST|DELETE) \/v2\/(?:auth|account\/mfa).* (?:email|password|mfa_code|refresh_token|token|code)$/,
    reason: 'a credential that is compared, and never shown',
  },
  {
    fields: /\/links user_id$/,
    reason: 'the id of a user who may decide: all others are refused',
  },
  { fields: / digest$/, reason: 'the digest of what is decided: all others are refused' },
  { fields: / secret$/, reason: 'a secret that is never shown' },
  { fields: /corrections month$/, reason: 'a month: all others are refused' },
  { fields: / (?:cron|time_zone)$/, reason: 'a cron expression or a time zone: all others are refused' },
  {
    fields: /notification-channels.* (?:type|config\.\*)$/,
    reason: 'one of the types of the server, and the addresses that its type checks',
  },
  { fields: /^POST \/(?:api\/board|v2\/chat) user$/, reason: 'for the agent alone: nothing keeps it' },
  {
    fields: /^POST \/api\/board message$/,
    reason: 'answered like a message to POST /v2/chat, which is written',
  },
  {
    fields: /^POST \/api\/webhooks\/create url$/,
    reason: 'the same list of webhooks that POST /v2/webhooks is for',
  },
]
