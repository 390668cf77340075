import assert from 'node:assert/strict'
import type { Task } from '@taskboard/core'
import type { StorageCheck } from './storage-case.js'
import { MINUTE, PERSON, type World } from './world.js'

const ROUNDS = 15

/** A case of two storages on one database, as of two processes; nothing to check where there cannot be two. */
function shared(id: string, name: string, check: (one: World, other: World) => Promise<void>): StorageCheck {
  return {
    id: `shared.${id}`,
    name: `two storages on one database: ${name}`,
    async check(world) {
      const other = await world.another()
      if (other !== null) await check(world, other)
    },
  }
}

async function claimAll(world: World): Promise<readonly Task[]> {
  const claimed: Task[] = []
  for (let task = await world.claim(); task !== null; task = await world.claim()) claimed.push(task)
  return claimed
}

/** What the calls of one process wait for in that process, those of two wait for by the locks of their database. */
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
          storage.tasks.completeTask(proof, `${index}`, null, at()),
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
        for (const dependent of dependents) assert.equal((await one.get(dependent)).openDependencies, 0)
      }
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
      const move = ({ storage, at }: World, { workspaceId, id }: Task, to: 'TODO' | 'DONE') =>
        storage.tasks.moveTask(workspaceId, id, to, PERSON, at())
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
        (index % 2 === 0 ? one : other).storage.limits.take(request, one.at().now),
      ),
    )
    assert.equal(decisions.filter(({ allowed }) => allowed).length, 10)
  }),
]
