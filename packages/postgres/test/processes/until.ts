import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_EVERY_MS = 20

/** Looks again and again until `isSo`. @throws after `atMostMs`, saying what was seen last. */
export async function until<T>(
  look: () => Promise<T> | T,
  isSo: (seen: T) => boolean,
  atMostMs = 15_000,
): Promise<T> {
  for (let left = atMostMs; ; left -= LOOK_EVERY_MS) {
    const seen = await look()
    if (isSo(seen)) return seen
    if (left <= 0) throw new Error(`waited in vain; seen last: ${JSON.stringify(seen)}`)
    await sleep(LOOK_EVERY_MS)
  }
}
