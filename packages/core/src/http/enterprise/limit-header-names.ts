/** The headers for the account's limits, as in the contract. */
export const limitHeaderNames = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Burst',
  'X-RateLimit-Burst-Remaining',
] as const
