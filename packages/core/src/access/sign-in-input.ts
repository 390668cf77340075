import { z } from 'zod'
import { boundedList, boundedText, hasInvisible } from '../errors/index.js'
import { scopes, type Scope } from './principal.js'

const LONGEST_EMAIL = 254
/** Enough for each several times over. */
const MOST_SCOPES = 100
const SHORTEST_PASSWORD = 12
const LONGEST_PASSWORD = 256
const EMAIL = /^[^\s@]+@[^\s@]+$/

/**
 * The form in which e-mail addresses are kept and compared: without blanks around it, in lower case, and in Unicode's
 * normalization form KC, in which full-width letters, ligatures and the like are the letters that they look like.
 */
export function normalizeEmail(email: string): string {
  return email.trim().normalize('NFKC').toLowerCase().normalize('NFKC')
}

function isAddress(text: string): boolean {
  return EMAIL.test(text) && text.length <= LONGEST_EMAIL && !hasInvisible(text)
}

/** An address that a user is to have. Whether mail reaches it is for the host to find out. */
const email = boundedText(LONGEST_EMAIL)
  .transform(normalizeEmail)
  .refine(isAddress, 'must be an e-mail address')

/**
 * A password to be set: 12 to 256 code points, whatever they are. Length is what makes guessing hopeless, also from a stolen
 * table of hashes; kinds of characters are not asked for (NIST SP 800-63B, 3.1.1.2). The upper bound is far above any phrase
 * that is typed.
 */
const newPassword = boundedText(LONGEST_PASSWORD).refine(
  (text) => Array.from(text).length >= SHORTEST_PASSWORD,
  `must have at least ${SHORTEST_PASSWORD} characters`,
)

/** Scopes by their names, each once. */
export const scopeList = boundedList(z.enum(scopes), { of: 'scopes', least: 1, most: MOST_SCOPES }).transform(
  (list): Scope[] => [...new Set(list)],
)

/** What `accounts.setPassword` takes. */
export const newPasswordInput = z.object({ password: newPassword })

/** What `accounts.createUser` takes. */
export const newUserInput = z.object({ email, password: newPassword, scopes: scopeList.nullish() })

/** What a login takes: nothing here tells a possible address or password from one that cannot be. */
export const loginInput = z.object({
  email: boundedText(LONGEST_EMAIL).transform(normalizeEmail),
  password: boundedText(LONGEST_PASSWORD),
  mfaCode: boundedText(64).nullish(),
})
