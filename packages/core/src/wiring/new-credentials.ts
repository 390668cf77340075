import type { AccessStore } from '../access/index.js'

/** What identifies a caller from now on. */
export type NewCredential = { readonly accountId: string } & (
  | {
      readonly kind: 'api_key'
      readonly id: string
      /** The SHA-256 of the key, in hexadecimal. */
      readonly digest: string
    }
  | {
      readonly kind: 'user'
      readonly id: string
      /** Trimmed, in Unicode normalization form KC and lower case: logins find it in any form. */
      readonly email: string
    }
)

type CredentialOf<Verb> = Verb extends (input: infer Input, call: never) => Promise<infer Result>
  ? (input: Input, result: Result) => NewCredential | null
  : never

type MakingVerb = 'insertAccount' | 'insertUser' | 'acceptInvitation' | 'insertApiKey' | 'rotateApiKey'

const ofUser = ({
  id,
  accountId,
  email,
}: {
  readonly id: string
  readonly accountId: string
  readonly email: string
}): NewCredential => ({ kind: 'user', id, accountId, email })

/** The verbs of `AccessStore` that make a key or a user. */
export const credentialsMade: { readonly [Verb in MakingVerb]: CredentialOf<AccessStore[Verb]> } = {
  insertAccount: (_, { user }) => (user === null ? null : ofUser(user)),
  insertUser: (_, user) => ofUser(user),
  acceptInvitation: (_, { user }) => ofUser(user),
  insertApiKey: ({ key: { hash } }, { id, accountId }) => ({ kind: 'api_key', id, accountId, digest: hash }),
  rotateApiKey: ({ hash }, { added: { id, accountId } }) => ({
    kind: 'api_key',
    id,
    accountId,
    digest: hash,
  }),
}
