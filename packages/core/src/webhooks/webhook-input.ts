import { z } from 'zod'
import { boundedList, isStorableText, wholeNumber } from '../errors/index.js'
import { webhookEventTypes } from '../events/index.js'
import { SECRET_CODE_UNITS } from './webhook-options.js'

/** Enough for every type several times over. */
const MOST_EVENTS = 100
const URL_SHAPE = 'must be an absolute https URL'

const url = z.string({ error: URL_SHAPE })

const events = boundedList(z.enum(webhookEventTypes), {
  of: 'event types',
  least: 1,
  most: MOST_EVENTS,
}).transform((types) => [...new Set(types)])

const secret = z
  .string({ error: 'must be text' })
  .min(1, 'must not be empty')
  .max(SECRET_CODE_UNITS, `must have at most ${SECRET_CODE_UNITS} characters`)
  .refine(isStorableText, 'must not contain NUL or unpaired surrogates')

/** The input of `webhooks.register`. */
export const newWebhookInput = z.strictObject({ url, events, secret: secret.nullish() })

const trueOrFalse = z.boolean({ error: 'must be true or false' })

/** The input of a user's create. */
export const createdWebhookInput = newWebhookInput.extend({ generateSecret: trueOrFalse.nullish() })

/** The input of `webhooks.update`. */
export const webhookChangeInput = z.strictObject({
  url: url.optional(),
  events: events.optional(),
  enabled: trueOrFalse.optional(),
  secret: z.undefined({ error: 'cannot be updated; rotate it instead' }).optional(),
})

/** The input of `webhooks.rotateSecret`. */
export const rotationInput = z.strictObject({
  secret: secret.nullish(),
  overlapMs: wholeNumber(0, 2_592_000_000).optional(),
})
