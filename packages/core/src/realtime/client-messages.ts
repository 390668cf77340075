import { z } from 'zod'
import { boundedList, parseInput, parseJson, TaskboardError } from '../errors/index.js'

const LONGEST_TOKEN = 8_192
const LONGEST_NAME = 128
const MOST_CHANNELS = 100

/** Returned in the answer, so that a client can match it to its message. */
const requestId = z
  .string({ error: 'must be text' })
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
  .optional()

const seq = z.number({ error: 'must be a number' }).int('must be whole').min(0, 'must not be negative')

const channels = boundedList(z.string().max(LONGEST_NAME), {
  of: 'channels',
  least: 1,
  most: MOST_CHANNELS,
}).transform((names) => [...new Set(names)])

/** Where to resume: the last `seq` seen, by channel, and for `tasks` by workspace. */
const since = z
  .record(
    z.string(),
    z.union([seq, z.record(z.string(), seq)], { error: 'must be a seq, or seqs by workspace' }),
    {
      error: 'must be an object by channel',
    },
  )
  .optional()

const clientMessage = z.discriminatedUnion(
  'type',
  [
    z.object({
      type: z.literal('auth'),
      token: z.string({ error: 'must be text' }).max(LONGEST_TOKEN, 'is too long'),
      request_id: requestId,
    }),
    z.object({ type: z.literal('subscribe'), channels, since, request_id: requestId }),
    z.object({ type: z.literal('unsubscribe'), channels, request_id: requestId }),
    z.object({ type: z.literal('ping'), request_id: requestId }),
  ],
  { error: 'must be auth, subscribe, unsubscribe or ping' },
)

/** A message from a client. */
export type ClientMessage = z.output<typeof clientMessage>
export type Since = NonNullable<Extract<ClientMessage, { type: 'subscribe' }>['since']>

/** @throws TaskboardError `INVALID_JSON`, or `MISSING_FIELD` and `INVALID_FIELD` with the first offending field. */
export function parseClientMessage(text: string): ClientMessage {
  return parseInput(clientMessage, parseJsonObject(text))
}

/** The `request_id` of a message that is otherwise invalid; null when it has no valid one. */
export function requestIdOf(text: string): string | null {
  try {
    const { request_id: given } = parseJsonObject(text)
    const { data } = requestId.safeParse(given)
    return data ?? null
  } catch {
    return null
  }
}

function parseJsonObject(text: string): Record<string, unknown> {
  const value = parseJson(text, 'the message')
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw new TaskboardError('INVALID_JSON', 'the message must be a JSON object')
}
