import { silentLogger } from '@taskboard/core'
import { expect, it } from 'vitest'
import type { BoundedPool } from './bounded-pool.js'
import { warnOfJit } from './jit-warning.js'

/** What is logged about a server whose answer to all queries is `answer`. */
async function loggedAbout(answer: () => Promise<unknown>) {
  const logged: string[] = []
  let queries = 0
  const pool: BoundedPool = {
    async query() {
      queries += 1
      return { rows: [await answer()] }
    },
    connect: () => Promise.reject(new Error('not used')),
  }
  const note = (level: string) => (_: object, message: string) => void logged.push(`${level}: ${message}`)
  await warnOfJit(pool, { ...silentLogger, warn: note('warn'), debug: note('debug') })
  return { logged, queries }
}

it('names the statement to run for the role, after one query', async () => {
  const { logged, queries } = await loggedAbout(async () => ({ isOn: true, role: '"the board"' }))
  expect(queries).toBe(1)
  expect(logged).toEqual([expect.stringMatching(/^warn: .*: run alter role "the board" set jit = off$/)])
})

it('is silent on a server that compiles nothing', async () => {
  expect((await loggedAbout(async () => ({ isOn: false, role: 'board' }))).logged).toEqual([])
})

it('does not fail the start when the server does not say', async () => {
  const { logged } = await loggedAbout(() => Promise.reject(new Error('unrecognized parameter "jit"')))
  expect(logged).toEqual([expect.stringMatching(/^debug: /)])
})
