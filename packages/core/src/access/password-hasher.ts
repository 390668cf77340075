/** Turns passwords into what can be kept. Slow on purpose. */
export interface PasswordHasher {
  /** Text that tells its own algorithm and cost, salted: the same password twice gives two texts. */
  hash(password: string): Promise<string>
  /** Whether `stored` was made from `password`. False for text that is not a hash of this kind. */
  verify(password: string, stored: string): Promise<boolean>
  /** Text that no password fits, and that costs as much to verify as any that `hash` makes now. */
  readonly decoy: string
}
