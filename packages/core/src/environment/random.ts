import { randomBytes } from 'node:crypto'

/** The source of unpredictable bytes. The default is the operating system's generator; tests may use a seeded one. */
export interface Random {
  /** `size` fresh bytes; the caller may keep and change the array. */
  bytes(size: number): Uint8Array
  /** A number in [0, 1), for jitter. */
  fraction(): number
}

/** The operating system's generator. */
export const systemRandom: Random = {
  bytes: (size) => new Uint8Array(randomBytes(size)),
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
}
