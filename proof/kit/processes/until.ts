import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_EVERY_MS = 20

/** Polls until `isSo` is true. @throws after `atMostMs`, with the last value. */
export async function until<T>(
  look: () => Promise<T> | T,
  isSo: (seen: T) => boolean,
  atMostMs = 15_000,
): Promise<T> {
  for (let left = atMostMs; ; left -= LOOK_EVERY_MS) {
    const seen = await look()
    if (isSo(seen)) return seen
    if (left <= 0) throw new Error(`timed out; last value: ${JSON.stringify(seen)}`)
    await sleep(LOOK_EVERY_MS)
  }
}
