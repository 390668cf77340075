import { setTimeout as sleep } from 'node:timers/promises'
import type { EmbeddedServer } from '@taskboard/kit/postgres/embedded-server'
import { until } from '@taskboard/kit/processes/until'
import {
  asksAs,
  makeSynchronous,
  promote,
  startServerPair,
  startStandbyOf,
  urlOfPair,
} from '@taskboard/kit/postgres/standby'
import { lasting, type DatabaseUnderTest } from './database-under-test.js'

/** How soon after a promotion the processes must work again. */
const GOES_ON_MS = 10_000
const FLAGS = ['fsync=off', 'track_commit_timestamp=on', 'max_connections=120']

/**
 * A primary with a synchronous standby. Each fault promotes the standby, and then puts a new standby in the place of the former primary,
 * with a copy of the new one's data.
 */
export async function serverPair(): Promise<DatabaseUnderTest> {
  const pair = await startServerPair(FLAGS)
  let { primary, standby } = pair
  await makeSynchronous(primary)
  const url = urlOfPair(pair)
  let workGoesOn = Promise.resolve()

  /** The processes must find the new primary by themselves. */
  async function failOver(former: EmbeddedServer): Promise<void> {
    await promote(standby)
    primary = standby
    standby = former
    workGoesOn = goesOn(primary)
    workGoesOn.catch(() => undefined)
  }

  async function rebuild(): Promise<void> {
    await workGoesOn
    await standby.stop()
    standby = await startStandbyOf(primary, FLAGS, Number(new URL(standby.url).port))
    await makeSynchronous(primary)
  }

  return {
    url,
    adminUrl: () => primary.url,
    faults: [
      (draw) => {
        const [deadMs, aloneMs] = [lasting(draw, 0, 2_000), lasting(draw, 1_000, 4_000)]
        return {
          label: `kills the primary, and promotes the standby after ${deadMs} ms`,
          async run() {
            await primary.kill()
            await sleep(deadMs)
            await failOver(primary)
            await sleep(aloneMs)
            await rebuild()
          },
        }
      },
      (draw) => {
        const [pausedMs, aloneMs] = [lasting(draw, 0, 2_000), lasting(draw, 0, 3_000)]
        const togetherMs = lasting(draw, 1_000, 3_000)
        return {
          label: `pauses the primary, promotes the standby after ${pausedMs} ms, and resumes the former one ${aloneMs} ms later`,
          async run() {
            const former = primary
            await former.pause()
            await sleep(pausedMs)
            await failOver(former)
            await sleep(aloneMs)
            await former.resume()
            await sleep(togetherMs)
            await former.kill()
            await rebuild()
          },
        }
      },
      (draw) => {
        const togetherMs = lasting(draw, 500, 3_000)
        return {
          label: `promotes the standby beside the primary, which is stopped ${togetherMs} ms later`,
          async run() {
            const former = primary
            await failOver(former)
            await sleep(togetherMs)
            await former.kill()
            await rebuild()
          },
        }
      },
    ],
    async stop() {
      for (const server of [standby, primary]) await server.resume().catch(() => undefined)
      for (const server of [standby, primary]) await server.stop()
    },
  }
}

/** Rejects when nothing is written within the promised time of the promotion. */
async function goesOn({ url }: EmbeddedServer): Promise<void> {
  const promoted = Number(await asksAs(url, 'select taskboard.now_ms()'))
  await until(
    () => asksAs(url, `select exists (select from taskboard.event where at > ${promoted})`),
    (isSo) => isSo === true,
    GOES_ON_MS,
  ).catch((cause: unknown) => {
    throw new Error(`no work within ${GOES_ON_MS} ms of the promotion`, { cause })
  })
}
