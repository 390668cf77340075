/** The headers that tell of the account's limits, as the contract spells them. */
export const limitHeaderNames = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Burst',
  'X-RateLimit-Burst-Remaining',
] as const
