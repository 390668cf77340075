import { TaskboardApiError, type TaskboardClient } from '@taskboard/client'
import { CliError } from './cli-error.js'
import { changeServer, type Environment } from './config-file.js'

/**
 * Exchanges the stored refresh token of a person's session for the next one, which is stored before anything is done with the access token.
 * Resolves to that.
 */
export async function refreshSession(
  env: Environment,
  url: string,
  anonymous: () => Promise<TaskboardClient>,
): Promise<string> {
  let accessToken = ''
  await changeServer(env, url, async (stored) => {
    if (stored === undefined || !('refreshToken' in stored)) throw over()
    const client = await anonymous()
    try {
      const tokens = await client.auth.refresh({ refresh_token: stored.refreshToken })
      accessToken = tokens.access_token
      return { refreshToken: tokens.refresh_token }
    } catch (error) {
      throw error instanceof TaskboardApiError && error.status === 401 ? over() : error
    }
  })
  return accessToken
}

function over(): CliError {
  return new CliError('refused', 'the session expired or was revoked: run `taskboard login --as-person`')
}
