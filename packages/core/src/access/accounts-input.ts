import { z } from 'zod'
import { isStorableText, textOf } from '../errors/index.js'
import { tiers } from './principal.js'
import { newUserInput, scopeList } from './sign-in-input.js'

const NAME_CODE_POINTS = 100
const LATEST_INSTANT = 8_640_000_000_000_000

/** A name: 1 to 100 characters after trimming. */
const name = z
  .string({ error: 'must be text' })
  .trim()
  .pipe(textOf({ most: NAME_CODE_POINTS, isBlankAllowed: false }))

const id = z
  .string({ error: 'must be an id' })
  .min(1, 'must be an id')
  .max(64, 'must be an id')
  .refine(isStorableText, 'must be an id')

const instant = z.union(
  [z.date().transform((date) => date.getTime()), z.number().int().min(-LATEST_INSTANT).max(LATEST_INSTANT)],
  { error: 'must be a valid Date or whole epoch milliseconds' },
)

/** What `accounts.create` takes. */
export const newAccountInput = z.object({
  name,
  tier: z.enum(tiers, { error: `must be one of ${tiers.join(', ')}` }),
  workspaceName: name.nullish(),
  owner: newUserInput.nullish(),
})

/** What `accounts.createWorkspace` takes. */
export const newWorkspaceInput = z.object({ name })

/** What `accounts.createKey` takes. */
export const newKeyInput = z.object({
  workspaceId: id.nullish(),
  accountId: id.nullish(),
  name,
  scopes: scopeList,
  expiresAt: instant.nullish(),
})

/** The fields of a key that a user makes. */
export const ownKeyInput = newKeyInput.omit({ accountId: true })
