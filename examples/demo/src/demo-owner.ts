import { randomBytes } from 'node:crypto'
import { isTaskboardError, type Taskboard } from '@taskboard/core'
import { SettingError, type DemoSettings } from './settings.js'

/** Who may log in to the demo. */
export interface DemoOwner {
  readonly email: string
  /** The password that was generated now, to be shown once; null when it was given, or is from an earlier start. */
  readonly password: string | null
}

type OwnerSettings = Pick<DemoSettings, 'ownerEmail' | 'ownerPassword'>

const DEFAULT_EMAIL = 'owner@taskboard.example'
const PASSWORD_BYTES = 18

/**
 * The account's owner: the user that the settings name, created when missing, or else the oldest user, or else a new default user.
 * The password of an existing user stays unchanged.
 * @throws SettingError
 */
export async function ensureOwner<Tx>(
  { accounts }: Taskboard<Tx>,
  accountId: string,
  { ownerEmail, ownerPassword }: OwnerSettings,
): Promise<DemoOwner> {
  const users = await accounts.listUsers(accountId)
  const wanted = ownerEmail?.toLowerCase() ?? users[0]?.email ?? DEFAULT_EMAIL
  if (users.some(({ email }) => email === wanted)) return { email: wanted, password: null }
  const made = ownerPassword ?? randomBytes(PASSWORD_BYTES).toString('base64url')
  try {
    const { email } = await accounts.createUser(accountId, { email: wanted, password: made })
    return { email, password: ownerPassword === null ? made : null }
  } catch (error) {
    throw toSettingError(error)
  }
}

function toSettingError(error: unknown): unknown {
  if (!isTaskboardError(error)) return error
  if (error.field === 'email')
    return new SettingError('TASKBOARD_OWNER_EMAIL', `cannot be used: ${error.message}`)
  if (error.field === 'password') {
    return new SettingError('TASKBOARD_OWNER_PASSWORD', `cannot be used: ${error.message}`)
  }
  return error
}
