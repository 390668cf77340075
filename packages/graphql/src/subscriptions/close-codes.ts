import { closeCodes, type CloseCodes } from '@taskboard/core'

/**
 * Why a connection is ended, by the numbers that graphql-transport-ws gives, and by others where it has none. Clients of it connect
 * again by themselves but for those of its numbers that tell of a fault of theirs, which is why a credential that has ended is
 * 4403 here, and 4409 and 4429 are left to what they mean there.
 */
export const graphqlCloseCodes: CloseCodes = {
  ...closeCodes,
  unsupportedData: 4400,
  internalError: 1013,
  unauthenticated: 4403,
  forbidden: 4403,
  unsupportedSubprotocol: 4406,
  tooSlow: 4410,
  tooManyConnections: 4431,
}
