import { z } from 'zod'
import type { Mfa } from '../../access/index.js'
import { operation, type Operation } from './operation.js'

const mfaCode = z
  .string({ error: 'must be text' })
  .max(64, 'must be a code')
  .meta({ description: 'A one-time password. A recovery code also works to end the enrolment.' })

/** A user's second factor. */
export function mfaOperations(mfa: Mfa): readonly Operation[] {
  return [beginOperation(mfa), confirmOperation(mfa), removeOperation(mfa)]
}

const ofUsers = { tag: 'account', scope: 'account:write', userOnly: true } as const

function beginOperation(mfa: Mfa): Operation {
  return operation({
    ...ofUsers,
    id: 'beginMfa',
    summary: 'Creates a secret for an authenticator app',
    description: 'It takes effect when you confirm it with a code.',
    method: 'POST',
    path: '/v2/account/mfa',
    body: z.object({}),
    answer: {
      status: 200,
      schema: z.object({
        otpauth_uri: z.string().meta({ description: 'For display as a QR code.' }),
        secret: z.string().meta({ description: 'The same secret, for manual entry.' }),
      }),
    },
    async run({ principal }) {
      const { otpauthUri, secret } = await mfa.begin(principal.id)
      return { otpauth_uri: otpauthUri, secret }
    },
  })
}

function confirmOperation(mfa: Mfa): Operation {
  return operation({
    ...ofUsers,
    id: 'confirmMfa',
    summary: 'Enrols the user, and returns the recovery codes only once',
    method: 'POST',
    path: '/v2/account/mfa/confirm',
    body: z.object({ mfa_code: mfaCode }),
    answer: { status: 200, schema: z.object({ recovery_codes: z.array(z.string()) }) },
    async run({ principal, body }) {
      const { recoveryCodes } = await mfa.confirm(principal.id, body.mfa_code)
      return { recovery_codes: recoveryCodes }
    },
  })
}

function removeOperation(mfa: Mfa): Operation {
  return operation({
    ...ofUsers,
    id: 'removeMfa',
    summary: 'Ends the enrolment',
    method: 'DELETE',
    path: '/v2/account/mfa',
    body: z.object({ mfa_code: mfaCode }),
    answer: { status: 204 },
    run: ({ principal, body }) => mfa.remove(principal.id, body.mfa_code),
  })
}
