import { TaskboardError } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { afterEach, expect, it } from 'vitest'
import { mountOnFastify, openHost, type GraphqlHost } from '../test/graphql-host.js'

let host: GraphqlHost
afterEach(() => host.close())

/** A board whose forecasts are counted, and fail if asked to. */
async function openCounting(fails = false): Promise<() => number> {
  const storage = memoryStorage()
  let forecasts = 0
  const readForecasts: typeof storage.agents.readForecasts = (...given) => {
    forecasts += 1
    if (fails)
      return Promise.reject(new TaskboardError('SERVICE_UNAVAILABLE', 'the database cannot be reached'))
    return storage.agents.readForecasts(...given)
  }
  const counting = { ...storage, agents: { ...storage.agents, readForecasts } }
  host = await openHost(mountOnFastify, {}, { storage: counting })
  return () => forecasts
}

const create = (fields: string) =>
  host.query(`mutation { createTask(input: { title: "One" }) { ${fields} } }`)

it('createTask makes no forecast, and one with estimatedCompletion', async () => {
  const forecasts = await openCounting()
  const plain = await create('id title status')
  expect(plain.data?.['createTask']).toMatchObject({ title: 'One', status: 'PENDING' })
  expect(forecasts()).toBe(0)
  const { data, errors } = await create('id estimatedCompletion')
  expect({ errors, estimate: data?.['createTask'] }).toMatchObject({
    errors: [],
    estimate: { estimatedCompletion: null },
  })
  expect(forecasts()).toBe(1)
})

it('a failed forecast fails no task that was created', async () => {
  const forecasts = await openCounting(true)
  const { data, errors } = await create('title estimatedCompletion')
  expect({ data, errors }).toEqual({
    data: { createTask: { title: 'One', estimatedCompletion: null } },
    errors: [],
  })
  expect(forecasts()).toBe(1)
})
