import type { PasswordHasher } from '@taskboard/core'

/**
 * Stores passwords in clear, at no cost, so that tests that log in are fast. Never for a board that anyone uses.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 * import { plainPasswordHasher } from '@taskboard/testing'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage(), passwordHasher: plainPasswordHasher })
 * await taskboard.close()
 * ```
 */
export const plainPasswordHasher: PasswordHasher = {
  hash: (password) => Promise.resolve(`plain:${password}`),
  verify: (password, stored) => Promise.resolve(stored === `plain:${password}`),
  decoy: 'plain',
}
