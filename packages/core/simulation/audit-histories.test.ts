import { runAuditHistory } from '@taskboard/kit/access/audit-history'
import { memoryStorage } from '@taskboard/memory'
import { expect, it } from 'vitest'
import { seededDice } from './dice.js'

const HISTORIES = 1_000

it(`explains every difference of who may do what, in ${HISTORIES} random histories of two processes`, async () => {
  const actions = new Set<string>()
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const history = runAuditHistory(seededDice(seed).below, memoryStorage())
    for (const action of await history.catch((error: unknown) => failed(seed, error))) actions.add(action)
  }
  expect([...actions].sort()).toEqual([
    'account.changed',
    'account.created',
    'invitation.created',
    'invitation.withdrawn',
    'key.created',
    'key.revoked',
    'key.rotated',
    'member.added',
    'member.changed',
    'member.deleted',
    'member.joined',
    'mfa.enrolled',
    'mfa.removed',
    'password.changed',
    'session.began',
    'session.ended',
    'session.reused',
    'workspace.created',
    'workspace.deleted',
  ])
}, 300_000)

function failed(seed: number, error: unknown): never {
  throw new Error(`seed ${seed}`, { cause: error })
}
