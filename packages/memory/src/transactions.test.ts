import { describe, expect, it } from 'vitest'
import { memoryStorage } from './index.js'

const START = Date.UTC(2026, 0, 1)
const account = { name: 'a', tier: 'professional', workspaceName: 'w', agent: null } as const

describe('the work of a transaction', () => {
  it('within that of another storage waits for neither', async () => {
    const [one, other] = [memoryStorage(), memoryStorage()]
    const refused = await one.transaction(() =>
      other.transaction(() =>
        Promise.allSettled([one, other].map(({ access }) => access.insertAccount(account, { now: START }))),
      ),
    )
    expect(refused).toMatchObject(
      [one, other].map(() => ({ status: 'rejected', reason: { code: 'MISSING_FIELD' } })),
    )
    const added = one.transaction(async () => other.access.insertAccount(account, { now: START }))
    await expect(added).resolves.toMatchObject({ account: { name: 'a' } })
  })
})
