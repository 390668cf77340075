import { expect, it } from 'vitest'
import type { Telemetry } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { Quota } from '../limits/index.js'
import { quotaWithRefusals, withRefusals } from './refusals.js'
import type { TransportServices } from './transport-services.js'

/** Limits that allow or reject everything, and what telemetry hears of them. */
function limits({ allowed }: { readonly allowed: boolean }) {
  const refusals: string[] = []
  const measured = { measure: (m: { kind: string; limit?: string }) => refusals.push(`${m.kind} ${m.limit}`) }
  const telemetry = measured as unknown as Telemetry
  const rejected = (code: 'QUOTA_EXCEEDED' | 'CONFLICT') =>
    allowed ? Promise.resolve({}) : Promise.reject(new TaskboardError(code, 'rejected'))
  const services = {
    takeBoardLimit: () => Promise.resolve({ allowed }),
    takeTierLimit: () => Promise.resolve(allowed ? null : { allowed }),
    refuseCredential: () =>
      new TaskboardError('UNAUTHORIZED', 'wrong', allowed ? {} : { retryAfterMs: 1_000 }),
  } as unknown as TransportServices
  const quota = {
    createTask: () => rejected('QUOTA_EXCEEDED'),
    createTasks: () => rejected('CONFLICT'),
    createHeld: () => rejected('QUOTA_EXCEEDED'),
    usage: () => Promise.resolve({}),
  } as unknown as Quota
  return { refusals, telemetry, services, quota }
}

async function use({ services, quota }: { services: TransportServices; quota: Quota }) {
  const any = undefined as never
  const outcomes = await Promise.allSettled([
    services.takeBoardLimit(any),
    services.takeTierLimit(any),
    Promise.resolve(services.refuseCredential(any)),
    quota.createTask(any, any),
    quota.createTasks(any, any, any),
    quota.createHeld(any, any, any),
    quota.usage(any),
  ])
  return outcomes.map(({ status }) => status)
}

it('reports each limit that rejects, and passes its rejection on', async () => {
  const { refusals, telemetry, services, quota } = limits({ allowed: false })
  const plain = await use({ services, quota })
  const reported = await use({
    services: withRefusals(services, telemetry),
    quota: quotaWithRefusals(quota, telemetry),
  })
  expect(reported).toEqual(plain)
  expect(refusals.toSorted()).toEqual([
    'refusal board',
    'refusal credentials',
    'refusal quota',
    'refusal quota',
    'refusal tier',
  ])
})

it('reports nothing that passes, and changes nothing without telemetry', async () => {
  const { refusals, telemetry, services, quota } = limits({ allowed: true })
  await use({ services: withRefusals(services, telemetry), quota: quotaWithRefusals(quota, telemetry) })
  expect(refusals).toEqual([])
  expect(withRefusals(services, null)).toBe(services)
  expect(quotaWithRefusals(quota, null)).toBe(quota)
})
