import { z } from 'zod'
import { boundedText, isStorableText } from '../errors/index.js'
import { scopes, tiers, type Scope, type Tier } from './principal.js'

const NAME_CODE_POINTS = 100
const LATEST_INSTANT = 8_640_000_000_000_000

/** A name: 1 to 100 characters once the blanks around it are gone. */
const name = z
  .string({ error: 'must be text' })
  .trim()
  .min(1, 'must not be blank')
  .pipe(boundedText(NAME_CODE_POINTS))

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
  tier: z.enum(tiers as [Tier, ...Tier[]], { error: `must be one of ${tiers.join(', ')}` }),
  workspaceName: name.nullish(),
})

/** What `accounts.createWorkspace` takes. */
export const newWorkspaceInput = z.object({ name })

/** What `accounts.createKey` takes. */
export const newKeyInput = z.object({
  workspaceId: id.nullish(),
  accountId: id.nullish(),
  name,
  scopes: z
    .array(z.enum(scopes, { error: `must be among ${scopes.join(', ')}` }), {
      error: 'must be a list of scopes',
    })
    .min(1, 'must name at least one scope')
    .transform((list): Scope[] => [...new Set(list)]),
  expiresAt: instant.nullish(),
})
