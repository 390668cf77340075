import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startEmbeddedServer, type EmbeddedServer } from '@taskboard/kit/postgres/embedded-server'
import { until } from '@taskboard/kit/processes/until'
import { cuttingProxy, type CuttingProxy } from '@taskboard/kit/postgres/cut-answers'
import { boardUnderLoad, type BoardUnderLoad } from './board-under-load.js'

let server: EmbeddedServer
let proxy: CuttingProxy
let name: string
let under: BoardUnderLoad
let databases = 0

beforeAll(async () => {
  server = await startEmbeddedServer(['fsync=off'])
  proxy = await cuttingProxy(new URL(server.url))
})
afterAll(async () => {
  await proxy.close()
  await server.stop()
})
beforeEach(async () => {
  name = `faults_${(databases += 1)}`
  await asAdmin(`create database ${name}`)
  under = await boardUnderLoad(urlThrough(proxy.port), urlThrough())
})
afterEach(() => under.close())

function urlThrough(port?: number): string {
  const url = new URL(server.url)
  url.pathname = `/${name}`
  if (port !== undefined) url.port = String(port)
  return url.href
}

async function asAdmin(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    for (const text of statements) await client.query(text)
  } finally {
    await client.end()
  }
}

/** Works before, during and after the fault; then checks the board's promises. */
async function expectWhole(fault: () => Promise<void>): Promise<void> {
  under.begin()
  await under.acknowledge(20)
  await fault()
  await under.acknowledge(20)
  expect(await under.settle()).toEqual([])
  expect([...under.refusals.keys()].filter((code) => code !== 'SERVICE_UNAVAILABLE')).toEqual([])
  expect(await under.post()).toMatchObject({ status: 200 })
}

async function expectRefused(): Promise<void> {
  await under.refuse(3)
  expect(await under.post()).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' })
}

/** Waits until the health routes say so: the process lives, whatever its database does. */
async function expectHealth(...codes: readonly string[]): Promise<void> {
  const health = await until(
    () => under.health(),
    (seen) => seen.codes.join() === codes.join(),
  )
  expect(health.statuses).toEqual([200, codes.length === 0 ? 200 : 503])
}

describe('a board whose database fails loses nothing, and recovers on its own', () => {
  it('when the server is stopped immediately and restarted', async () => {
    await expectWhole(async () => {
      await expectHealth()
      await server.stopImmediately()
      await expectRefused()
      await expectHealth('storage_unavailable')
      await server.startAgain()
      await expectHealth()
    })
  })

  it('when all of its backends are terminated, again and again', async () => {
    await expectWhole(async () => {
      for (let times = 0; times < 5; times += 1) {
        await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
        await under.acknowledge(5)
      }
    })
  })

  it('when it is read-only for a while', async () => {
    const set = (state: string) =>
      asAdmin(`alter system set default_transaction_read_only = ${state}`, 'select pg_reload_conf()')
    await expectWhole(async () => {
      await set('on')
      await expectRefused()
      await set('off')
    })
  })

  it('when answers are cut off after the commit', async () => {
    await expectWhole(async () => {
      proxy.cutAnswersTo(/taskboard_[a-z_]+_[0-9a-f]{8}|commit/, 7)
      const before = proxy.cuts
      await until(
        () => proxy.cuts,
        (cuts) => cuts >= before + 40,
      )
      proxy.cutAnswersTo(null)
    })
  })

  it('when the server stops answering without closing connections', async () => {
    await expectWhole(async () => {
      proxy.hang(true)
      await expectRefused()
      await expectHealth('storage_unavailable')
      proxy.hang(false)
      await expectHealth()
    })
  })
})
