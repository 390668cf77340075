import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Task } from '@taskboard/core'
import type { CallContext } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { MINUTE, PERSON, type StorageFixture, changeTask } from '../storage-fixture.js'

const ROUNDS = 15

/** A case of two storages on one database, as of two processes; skipped where there can't be two. */
function shared(
  id: string,
  name: string,
  check: (one: StorageFixture, other: StorageFixture) => Promise<void>,
): StorageCheck {
  return {
    id: `shared.${id}`,
    name: `two storages on one database: ${name}`,
    async check(fixture) {
      const other = await fixture.another()
      if (other !== null) await check(fixture, other)
    },
  }
}

/** The options that let a call of the other storage get as far as it can while a transaction is open. */
const HEAD_START_MS = 60

/**
 * Does something in a transaction of `one`, and calls the other storage before that commits. Such a call waits for the transaction, or goes
 * past it. Resolves to both values, or rejects with the error of the other call.
 */
async function whileOpen<T, U>(
  one: StorageFixture,
  inside: (call: CallContext) => Promise<T>,
  beside: () => Promise<U>,
): Promise<readonly [T, U]> {
  // Another process's call comes from nowhere inside the transaction.
  const outside = new AsyncResource('another process')
  let other: Promise<U> | undefined
  const value = await one.storage.transaction(async (tx) => {
    const done = await inside(one.at(0, tx))
    other = outside.runInAsyncScope(beside)
    await Promise.race([other.catch(() => undefined), delay(HEAD_START_MS)])
    return done
  })
  return [value, await (other ?? beside())]
}

/** How many tasks `task` still waits for, once nothing is left that completions couldn't see. */
async function countOpen(fixture: StorageFixture, task: Task): Promise<number> {
  await fixture.freeAll()
  return (await fixture.get(task)).openDependencies
}

async function claimAll(fixture: StorageFixture): Promise<readonly Task[]> {
  const claimed: Task[] = []
  for (let task = await fixture.claim(); task !== null; task = await fixture.claim()) claimed.push(task)
  return claimed
}

/** The calls of one process wait for each other in that process, and the calls of two by the locks of their database. */
export const sharingCases: readonly StorageCheck[] = [
  shared('claims', 'claimers of both take each task once', async (one, other) => {
    const added = await Promise.all(Array.from({ length: 60 }, () => one.add()))
    const claimed = (await Promise.all([one, other, one, other].map(claimAll))).flat()
    assert.deepEqual(claimed.map(({ id }) => id).toSorted(), added.map(({ id }) => id).toSorted())
  }),
  shared('completions', 'of two completions of one task one is refused', async (one, other) => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, workspaceId, lease } = await one.addClaimed()
      const proof = { workspaceId, taskId: id, fencingToken: lease?.fencingToken ?? -1 }
      const done = await Promise.allSettled(
        [one, other].map(({ storage, at }, index) =>
          storage.tasks.completeTask({ proof, result: `${index}`, next: null }, at()),
        ),
      )
      const kept = done.flatMap((each, index) => (each.status === 'fulfilled' ? [`${index}`] : []))
      assert.deepEqual([(await one.get({ id, workspaceId })).result], kept)
    }
  }),
  shared(
    'last-dependencies',
    'the last two dependencies, done at once, free their dependent',
    async (one, other) => {
      for (let round = 0; round < ROUNDS; round++) {
        const [first, second] = [await one.add(), await one.add()]
        const dependents = [
          await one.add({ dependsOn: [first.id, second.id] }),
          await other.add({ dependsOn: [second.id, first.id] }),
        ]
        await Promise.all([one.finish(first), other.finish(second)])
        for (const dependent of dependents) assert.equal((await one.get(dependent)).openDependencies, 0)
      }
    },
  ),
  shared(
    'added-dependents',
    'a dependency that is done while dependents are added leaves them counted right',
    async (one, other) => {
      for (let round = 0; round < ROUNDS; round++) {
        const dependency = await one.add()
        const adding = Array.from({ length: 6 }, (_, index) =>
          (index % 2 === 0 ? one : other).add({ dependsOn: [dependency.id] }),
        )
        const [, ...dependents] = await Promise.all([other.finish(dependency), ...adding])
        for (const dependent of dependents) assert.equal(await countOpen(one, dependent), 0)
      }
    },
  ),
  shared(
    'reopened-dependency',
    'a dependency that is reopened while a dependent is added blocks it',
    async (one, other) => {
      const dependency = await one.add()
      // The first dependent of a task is a special case.
      await one.add({ dependsOn: [dependency.id] })
      await one.finish(dependency)
      const { workspaceId, id } = dependency
      const [dependent] = await whileOpen(
        one,
        (call) => one.add({ dependsOn: [id] }, call),
        () =>
          changeTask(
            other.storage.tasks,
            { workspaceId, id },
            { kind: 'move', to: 'TODO', actor: PERSON },
            other.at(),
          ),
      )
      assert.equal(await countOpen(one, dependent), 1)
    },
  ),
  shared(
    'reopening-dependency',
    'a dependent that is added while its dependency is being reopened is blocked',
    async (one, other) => {
      const dependency = await one.add()
      await one.add({ dependsOn: [dependency.id] })
      await one.finish(dependency)
      const { id } = dependency
      const [, dependent] = await whileOpen(
        one,
        (call) =>
          changeTask(one.storage.tasks, dependency, { kind: 'move', to: 'TODO', actor: PERSON }, call),
        () => other.add({ dependsOn: [id] }),
      )
      assert.equal(await countOpen(one, dependent), 1)
    },
  ),
  shared(
    'deleting-dependency',
    'a task is not added that would depend on one that is being deleted',
    async (one, other) => {
      const { workspaceId, id } = await one.add()
      const former = await one.add({ dependsOn: [id] })
      await one.storage.tasks.deleteTask({ workspaceId, taskId: former.id, actor: PERSON }, one.at())
      const both = whileOpen(
        one,
        (call) => one.storage.tasks.deleteTask({ workspaceId, taskId: id, actor: PERSON }, call),
        () => other.add({ dependsOn: [id] }),
      )
      await assertRefused(both, 'INVALID_FIELD', 'dependsOn')
    },
  ),
  shared(
    'first-dependent',
    'a task that is done while its first dependent is added frees it',
    async (one, other) => {
      const dependency = await one.add()
      const [dependent] = await whileOpen(
        one,
        (call) => one.add({ dependsOn: [dependency.id] }, call),
        () => other.finish(dependency),
      )
      assert.equal(await countOpen(one, dependent), 0)
    },
  ),
  shared(
    'late-dependent',
    'a task whose completion is not committed yet frees what is added meanwhile',
    async (one, other) => {
      const dependency = await one.add()
      await one.add({ dependsOn: [dependency.id] })
      const [, dependent] = await whileOpen(
        one,
        (call) => one.finish(dependency, call),
        () => other.add({ dependsOn: [dependency.id] }),
      )
      assert.equal(await countOpen(one, dependent), 0)
    },
  ),
  shared(
    'deleted-dependency',
    'a dependency is not deleted while a dependent of it is added',
    async (one, other) => {
      const { workspaceId, id } = await one.add()
      const former = await one.add({ dependsOn: [id] })
      await one.storage.tasks.deleteTask({ workspaceId, taskId: former.id, actor: PERSON }, one.at())
      const both = whileOpen(
        one,
        (call) => one.add({ dependsOn: [id] }, call),
        () => other.storage.tasks.deleteTask({ workspaceId, taskId: id, actor: PERSON }, other.at()),
      )
      await assertRefused(both, 'CONFLICT')
      assert.equal((await one.get({ workspaceId, id })).id, id)
    },
  ),
  shared('uncommitted-claim', 'a claim passes over what another is taking', async (one, other) => {
    const tasks = [await one.add(), await one.add(), await one.add()]
    const [first, second] = await whileOpen(
      one,
      (call) => one.claim(call),
      () => other.claim(),
    )
    assert.deepEqual([first?.id, second?.id], [tasks[0]?.id, tasks[1]?.id])
  }),
  shared(
    'uncommitted-completion',
    'a completion is refused that comes while another is not committed yet',
    async (one, other) => {
      const { id, workspaceId, lease } = await one.addClaimed()
      const proof = { workspaceId, taskId: id, fencingToken: lease?.fencingToken ?? -1 }
      const both = whileOpen(
        one,
        (call) => one.storage.tasks.completeTask({ proof, result: 'first', next: null }, call),
        () => other.storage.tasks.completeTask({ proof, result: 'second', next: null }, other.at()),
      )
      await assertRefused(both, 'CONFLICT', 'fencingToken')
      assert.deepEqual([(await one.get({ id, workspaceId })).result], ['first'])
    },
  ),
  shared(
    'moves',
    'dependencies that both move to and fro leave their dependents counted right',
    async (one, other) => {
      const dependencies = [await one.add(), await one.add(), await one.add()]
      const ids = dependencies.map(({ id }) => id)
      const dependents = await Promise.all([
        one.add({ dependsOn: ids }),
        one.add({ dependsOn: ids.toReversed() }),
      ])
      const move = ({ storage, at }: StorageFixture, { workspaceId, id }: Task, to: 'TODO' | 'DONE') =>
        changeTask(storage.tasks, { workspaceId, id }, { kind: 'move', to, actor: PERSON }, at())
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all([
          ...dependencies.map((task) => move(one, task, 'DONE')),
          ...dependencies.toReversed().map((task) => move(other, task, round % 2 === 0 ? 'TODO' : 'DONE')),
        ])
      }
      const done = await Promise.all(
        dependencies.map(async (task) => (await one.get(task)).column === 'DONE'),
      )
      for (const dependent of dependents) {
        const { openDependencies } = await one.get(dependent)
        assert.equal(openDependencies, done.filter((isDone) => !isDone).length)
      }
    },
  ),
  shared('events', 'the log of a workspace that both write has no gap and no repeat', async (one, other) => {
    await Promise.all(Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? one : other).add()))
    const seqs = (await one.events()).map(({ seq }) => seq)
    assert.deepEqual(
      seqs,
      Array.from({ length: 30 }, (_, index) => index + 1),
    )
  }),
  shared('limit', 'both admit together what a limit admits', async (one, other) => {
    const request = { key: 'k', limit: 10, windowMs: MINUTE }
    const decisions = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 === 0 ? one : other).storage.limits.take(request, one.at()),
      ),
    )
    assert.equal(decisions.filter(({ allowed }) => allowed).length, 10)
  }),
]
