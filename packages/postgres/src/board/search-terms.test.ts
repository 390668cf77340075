import { defaultScoring, priorities, silentLogger } from '@taskboard/core'
import { createNewId, systemClock, type NewTask, type TaskChange } from '@taskboard/core/storage'
import { newTask } from '@taskboard/testing'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postgresStorage } from '../postgres-storage.js'

/** Few words, so that titles and descriptions often share some; and tags with what ends a quoted text. */
const text = fc
  .array(fc.constantFrom('pack', 'the', 'box', 'déjà', "it's", 'back\\slash', '日本'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((words) => words.join(' '))
const fields = fc.record({
  title: text,
  description: fc.option(text, { nil: null }),
  type: fc.option(fc.constantFrom('mail', "o'brien", '=mail'), { nil: null }),
  priority: fc.constantFrom(...priorities),
  tags: fc.uniqueArray(fc.constantFrom('red', "it's", 'a\\b', '#red'), { maxLength: 3 }),
})
const edit = fc
  .tuple(fields, fc.subarray(['title', 'description', 'type', 'priority', 'tags'] as const))
  .map(([all, names]): TaskChange => Object.fromEntries(names.map((name) => [name, all[name]])))
const actor = { kind: 'host', id: null } as const
const at = { now: null }

let database: TestDatabase
beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(() => database.drop())

it('a task is found, after any edits, by the terms of a new task with its fields', async () => {
  const storage = postgresStorage({ pool: database.pool, listen: false })
  const settings = { clock: systemClock, logLimit: 5, outputLimit: 3, logger: silentLogger }
  storage.bind({ scoring: defaultScoring, newId: createNewId(), ...settings })
  const { workspace } = await storage.access.insertAccount(
    { name: 'Acme', tier: 'professional', workspaceName: 'Acme', agent: null },
    at,
  )
  const workspaceId = workspace.id
  const add = async (of: Partial<NewTask>): Promise<string> => {
    const task = newTask({ workspaceId, ...of })
    return (await storage.tasks.insertTask({ task, actor, idempotency: null }, at)).value.id
  }
  const termsOf = async (taskId: string): Promise<readonly unknown[]> => {
    const query = 'select strip(terms)::text as terms from taskboard.task_search where task_id = $1'
    return (await database.pool.query<object>(query, [taskId])).rows
  }
  await fc.assert(
    fc.asyncProperty(fields, fc.array(edit, { minLength: 1, maxLength: 5 }), async (first, edits) => {
      const taskId = await add(first)
      for (const change of edits)
        await storage.tasks.changeTask(
          { target: { workspaceId, taskId }, command: { kind: 'edit', change, actor } },
          at,
        )
      const expected = await termsOf(await add(Object.assign({}, first, ...edits)))
      expect(expected).toHaveLength(1)
      expect(await termsOf(taskId)).toEqual(expected)
    }),
    { numRuns: 60 },
  )
  await storage.close()
})
