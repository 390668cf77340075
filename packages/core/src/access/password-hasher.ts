/** Hashes passwords for storage. Slow on purpose. */
export interface PasswordHasher {
  /** A salted text that names its algorithm and cost. The same password twice gives two texts. */
  hash(password: string): Promise<string>
  /** Whether `stored` was made from `password`. False for text that is not a hash of this kind. */
  verify(password: string, stored: string): Promise<boolean>
  /** Text that no password matches. Verifying it costs as much as verifying any hash that `hash` makes now. */
  readonly decoy: string
}
