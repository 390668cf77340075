import type { CallOptions } from '../client-options.js'
import type { CredentialSource } from '../credential.js'
import type { Operating } from '../operation.js'
import type { LogoutBody } from '../wire.js'

/** The account of the caller. */
export function accountMethods({ method }: Operating) {
  return {
    /** The account with its workspaces, limits and usage, and who is calling. */
    get: method('getAccount'),
    /** Changes the password of the user, and ends all its sessions. */
    setPassword: method('changePassword'),
    /** The second factor of the user. */
    mfa: {
      /** Returns the secret for an authenticator app. It takes effect when `confirm` gets a code. */
      begin: method('beginMfa'),
      /** Enrols the user, and returns the recovery codes only once. */
      confirm: method('confirmMfa'),
      /** Ends the enrolment. */
      remove: method('removeMfa'),
    },
  }
}

/** The users of the account. */
export function memberMethods({ method }: Operating) {
  return {
    /** The users of the account, oldest first. */
    list: method('listMembers'),
    /** Creates a user, with at most the scopes of the caller, who must be a user, too. Not repeated after a lost answer. */
    create: method('createMember'),
    /** Deletes another user and ends the sessions of that user. API keys stay. */
    delete: method('deleteMember'),
  }
}

/** API keys. Only users create them. */
export function apiKeyMethods({ method, all }: Operating) {
  return {
    /** Creates a key, which only this answer contains. A repeat is refused with `CONFLICT`. */
    create: method('createApiKey'),
    /** A page of the keys within reach, newest first, ended ones included. */
    list: method('listApiKeys'),
    /** All keys within reach, newest first, ended ones included. */
    listAll: all('listApiKeys'),
    /** Revokes a key at once. */
    revoke: method('revokeApiKey'),
    /** Creates a key with the same rights. The old one stays valid for a while. */
    rotate: method('rotateApiKey'),
  }
}

/** The workspaces of the account. `account.get` lists them. */
export function workspaceMethods({ method }: Operating) {
  return {
    /** Creates a workspace with its own board. Not repeated after a lost answer. */
    create: method('createWorkspace'),
    /** One workspace. */
    get: method('getWorkspace'),
    /** Renames a workspace. */
    update: method('updateWorkspace'),
    /** Deletes a workspace with all that it has. */
    delete: method('deleteWorkspace'),
    /** Sets or removes the monthly budget of a workspace. */
    setBudget: method('setWorkspaceBudget'),
  }
}

/** Sessions of users. A client with `login` needs only `logout`. */
export function authMethods({ method, call }: Operating, credential: CredentialSource) {
  return {
    /** Begins a session, and returns its tokens. The client keeps its own credential. */
    login: method('login'),
    /** Exchanges a refresh token for the next pair. */
    refresh: method('refreshTokens'),
    /** Ends the session of a refresh token. Without one: the session of the client, which then logs in again for the next call. */
    async logout(body?: LogoutBody, options?: CallOptions): Promise<void> {
      if (body?.refresh_token != null) return void (await call('logout', { body }, options))
      const refresh = credential.end()
      if (refresh === null) return
      await call(
        'logout',
        refresh === undefined ? { body, sendsCredential: true } : { body: { refresh_token: refresh } },
        options,
      )
    },
  }
}
