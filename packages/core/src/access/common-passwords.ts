import { TaskboardError } from '../errors/index.js'

let known: Promise<ReadonlySet<string>> | undefined

/** The nearly 50,000 most common passwords. Loaded at the first new password, since most processes set none. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  known ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'] as readonly string[]),
  )
  return known
}

/** The shortest text of which this one is a repetition: `ab` of `ababab`, and of `abab`. */
function repeatedPart(text: string): string {
  return text.slice(0, (text + text).indexOf(text, 1))
}

const SHORTEST_PART = 3

/**
 * Rejects a new password that others try first: a common one, one repeated, a character or two repeated, or the address of the user.
 * @throws TaskboardError `INVALID_FIELD` (`password`).
 */
export async function requireUncommon(password: string, email: string | null): Promise<void> {
  const text = password.normalize('NFKC').toLowerCase().trim()
  if (email !== null && (text === email || text === email.slice(0, email.lastIndexOf('@')))) {
    throw refusal('must not be the email address')
  }
  const part = repeatedPart(text)
  const common = await commonPasswords()
  if (part.length < SHORTEST_PART || common.has(text) || common.has(part)) {
    throw refusal('is one of the most common passwords, which others try first')
  }
}

function refusal(rule: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', `password ${rule}`, { field: 'password' })
}
