import { closeCodes, type CloseCodes } from '@taskboard/core/transport'

/**
 * Why a connection is closed: by the codes of graphql-transport-ws, and by others where it has none. Its clients reconnect on their
 * own, except after codes for a client's fault. So an ended credential is 4403 here, and 4409 and 4429 keep their meaning there.
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
