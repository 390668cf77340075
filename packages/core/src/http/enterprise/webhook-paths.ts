import type { z } from 'zod'
import {
  eventKinds,
  eventPayloadSchemas,
  webhookEventTypes,
  type WebhookEventType,
} from '../../events/index.js'
import type { PathDescription } from './described-routes.js'

type Json = Readonly<Record<string, unknown>>

/** The webhooks of an OpenAPI 3.1 document, by event type, with headers that begin with `headerPrefix`. */
export function webhookPaths(
  headerPrefix: string,
  toSchema: (schema: z.ZodType, io: 'input' | 'output') => Json,
): Readonly<Record<string, PathDescription>> {
  return Object.fromEntries(
    webhookEventTypes.map((type) => [type, { post: describe(type, headerPrefix, toSchema) }]),
  )
}

function describe(
  type: WebhookEventType,
  prefix: string,
  toSchema: (schema: z.ZodType, io: 'input' | 'output') => Json,
): Json {
  const header = (name: string, required: boolean, schema: Json, description: string): Json => ({
    name: prefix + name,
    in: 'header',
    required,
    description,
    schema: { type: 'string', ...schema },
  })
  return {
    operationId: `on ${type}`.replaceAll(/[ .](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: ['events'],
    summary: eventKinds[type].summary,
    description: 'Sent at least once; deduplicate by the delivery id.',
    security: [],
    parameters: [
      header('Event', true, { const: type }, 'The event type.'),
      header('Delivery', true, { pattern: '^evt_' }, 'The same for every attempt.'),
      header(
        'Signature',
        false,
        { pattern: '^sha256=[0-9a-f]{64}$' },
        'HMAC-SHA256 of the body with the secret of the webhook; absent without one.',
      ),
      header(
        'Signatures',
        false,
        {},
        'While an old secret is still valid: all signatures, separated by commas.',
      ),
    ],
    // As input: receivers must accept fields that later versions add.
    requestBody: {
      required: true,
      content: { 'application/json': { schema: toSchema(eventPayloadSchemas[type], 'input') } },
    },
    responses: {
      '2XX': { description: 'Accepted.' },
      410: { description: 'The endpoint is gone. The webhook is disabled.' },
      default: {
        description:
          'Failed, like a missing or incomplete answer within the timeout. The delivery is retried, by default at most five times.',
      },
    },
  }
}
