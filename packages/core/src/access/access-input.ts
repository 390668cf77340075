import { z } from 'zod'
import { boundedList, boundedText, hasInvisible, isStorableText, textOf } from '../errors/index.js'
import { type Scope, scopes, tiers } from './principal.js'

const LONGEST_EMAIL = 254
/** Several times what each needs. */
const MOST_SCOPES = 100
const SHORTEST_PASSWORD = 12
const LONGEST_PASSWORD = 256

const EMAIL = /^[^\s@]+@[^\s@]+$/

/**
 * The form in which email addresses are stored and compared: trimmed, in lower case, and in Unicode's normalization form KC. In it,
 * full-width letters, ligatures and the like become the letters that they look like.
 */
export function normalizeEmail(email: string): string {
  return email.trim().normalize('NFKC').toLowerCase().normalize('NFKC')
}

function isAddress(text: string): boolean {
  return EMAIL.test(text) && text.length <= LONGEST_EMAIL && !hasInvisible(text)
}

/** The address of a new user. The host checks whether mail reaches it. */
export const emailInput = boundedText(LONGEST_EMAIL)
  .transform(normalizeEmail)
  .refine(isAddress, 'must be an email address')

/**
 * A new password: any 12 to 256 code points. Length is what makes guessing hopeless, including from a stolen table of hashes. Kinds of
 * characters aren't required (NIST SP 800-63B, 3.1.1.2). The upper bound is far above any phrase that people type.
 */
const newPassword = boundedText(LONGEST_PASSWORD).refine(
  (text) => Array.from(text).length >= SHORTEST_PASSWORD,
  `must have at least ${SHORTEST_PASSWORD} characters`,
)

/** Distinct scopes by name. */
export const scopeList = boundedList(z.enum(scopes), { of: 'scopes', least: 1, most: MOST_SCOPES }).transform(
  (list): Scope[] => [...new Set(list)],
)

/** What `accounts.setPassword` takes. */
export const newPasswordInput = z.strictObject({ password: newPassword })

/** What `accounts.createUser` takes. */
export const newUserInput = z.strictObject({
  email: emailInput,
  password: newPassword,
  scopes: scopeList.nullish(),
  emailVerified: z.boolean({ error: 'must be true or false' }).nullish(),
})

/** The input of a login. It doesn't reveal whether an address or a password could exist. */
export const loginInput = z.strictObject({
  email: boundedText(LONGEST_EMAIL).transform(normalizeEmail),
  password: boundedText(LONGEST_PASSWORD),
  mfaCode: boundedText(64).nullish(),
})

/** What shows again who is logged in. */
export const proofInput = z
  .strictObject({
    password: boundedText(LONGEST_PASSWORD).nullish(),
    mfaCode: loginInput.shape.mfaCode,
    code: boundedText(2_048).nullish(),
  })
  .refine(({ password, code }) => (password == null) !== (code == null), {
    path: ['password'],
    message: 'must be given, or a code in its place',
  })

const LONGEST_CODE_LIFETIME_MS = 86_400_000

/** What `createLoginCode` takes. */
export const loginCodeInput = z
  .strictObject({
    userId: z.string().min(1, 'must be an id').nullish(),
    email: boundedText(LONGEST_EMAIL).transform(normalizeEmail).nullish(),
    ttlMs: z
      .number({ error: 'must be a number' })
      .multipleOf(1_000, 'must be whole seconds')
      .min(1_000, 'must be at least a second')
      .max(LONGEST_CODE_LIFETIME_MS, 'must be at most a day')
      .nullish(),
  })
  .refine(
    ({ userId, email: address }) => (userId == null) !== (address == null),
    'must name the user by userId or by email',
  )

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
export const newAccountInput = z.strictObject({
  name,
  tier: z.enum(tiers, { error: `must be one of ${tiers.join(', ')}` }),
  workspaceName: name.nullish(),
  owner: newUserInput.nullish(),
})

/** What `accounts.update` takes. */
export const accountChangeInput = z
  .strictObject({
    name,
    tier: newAccountInput.shape.tier,
    requireOtherPerson: z.boolean(),
    readOnly: z.boolean({ error: 'must be true or false' }),
  })
  .partial()
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    'must have a name, a tier, requireOtherPerson or readOnly',
  )

/** What `accounts.createWorkspace` and `accounts.updateWorkspace` take. */
export const newWorkspaceInput = z.strictObject({ name })

/** What `accounts.createKey` takes. */
export const newKeyInput = z.strictObject({
  workspaceId: id.nullish(),
  accountId: id.nullish(),
  name,
  scopes: scopeList,
  expiresAt: instant.nullish(),
})

/** The fields of a key that a user makes. */
export const ownKeyInput = newKeyInput.omit({ accountId: true })
