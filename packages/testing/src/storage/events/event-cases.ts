import assert from 'node:assert/strict'
import { agentFields } from '@taskboard/core/storage'
import type { EventDraft, LoggedEvent } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  DAY,
  SECOND,
  PERSON,
  START,
  unknownId,
  type StorageFixture,
  changeTask,
  changeClaimed,
} from '../storage-fixture.js'

const alert = (message: string): EventDraft => ({ type: 'agent.alert', data: { message } })

async function readAll({ storage }: StorageFixture, from: string, limit: number): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = []
  let position = from
  for (;;) {
    const page = await storage.events.readFeed({ position, limit }, { now: null })
    if (page.events.length === 0) {
      assert.equal(page.position, position, 'nothing new leaves the position as it is')
      return events
    }
    assert.ok(page.events.length <= limit)
    events.push(...page.events)
    position = page.position
  }
}

/** The event log. */
export const eventCases: readonly StorageCheck[] = [
  {
    id: 'events.append',
    name: 'an appended event gets the next place in its workspace’s log',
    async check({ storage, workspaceId, events, at }) {
      const first = await storage.events.appendEvent({ workspaceId, event: alert('one') }, at(1))
      const second = await storage.events.appendEvent({ workspaceId, event: alert('two') }, at(2))
      assert.deepEqual([first.seq, second.seq, first.at], [1, 2, START + 1])
      assert.notEqual(first.id, second.id)
      assert.match(first.id, /^log_/)
      assert.deepEqual(await events(), [first, second])
    },
  },
  {
    id: 'events.append-unknown',
    name: 'an event for an unknown workspace is NOT_FOUND',
    check: ({ storage, at }) =>
      assertRefused(
        storage.events.appendEvent({ workspaceId: unknownId('ws'), event: alert('m') }, at()),
        'NOT_FOUND',
      ),
  },
  {
    id: 'events.append-copies',
    name: 'changing what was appended does not change the log',
    async check({ storage, workspaceId, events, at }) {
      const data = { subject: 'as it was' }
      await storage.events.appendEvent({ workspaceId, event: { type: 'email.received', data } }, at())
      data.subject = 'changed'
      assert.deepEqual((await events())[0]?.data, { subject: 'as it was' })
    },
  },
  {
    id: 'events.skip-feed',
    name: 'what is skipped in the feed is not read, and what comes after it is',
    async check({ storage, workspaceId, at }) {
      const start = await storage.events.feedEnd({ after: null }, at())
      assert.equal(
        await storage.events.feedEnd({ after: start }, at()),
        start,
        'nothing new leaves the position as it is',
      )
      for (const message of ['one', 'two', 'three']) {
        await storage.events.appendEvent({ workspaceId, event: alert(message) }, at())
      }
      const page = await storage.events.readFeed({ position: start, limit: 2 }, at())
      const skipped = await storage.events.feedEnd({ after: start }, at())
      assert.equal(await storage.events.feedEnd({ after: page.position }, at()), skipped)
      assert.equal(await storage.events.feedEnd({ after: skipped }, at()), skipped)
      assert.deepEqual(await storage.events.readFeed({ position: skipped, limit: 10 }, at()), {
        events: [],
        position: skipped,
      })
      const next = await storage.events.appendEvent({ workspaceId, event: alert('four') }, at())
      assert.deepEqual((await storage.events.readFeed({ position: skipped, limit: 10 }, at())).events, [next])
    },
  },
  {
    id: 'events.seq-gapless',
    name: 'seqs have no gaps and no repeats, also when writers meet and some fail',
    async check({ storage, workspaceId, add, events, at }) {
      const writes = Array.from({ length: 60 }, (_, index) =>
        index % 3 === 0
          ? add({ dependsOn: [unknownId('task')] }).catch(() => undefined)
          : index % 3 === 1
            ? add()
            : storage.events.appendEvent({ workspaceId, event: alert(`${index}`) }, at()),
      )
      await Promise.all(writes)
      assert.deepEqual(
        (await events()).map((event) => event.seq),
        Array.from({ length: 40 }, (_, index) => index + 1),
      )
    },
  },
  {
    id: 'events.read-page',
    name: 'a workspace’s events are read in order after a place, at most a page',
    async check({ storage, workspaceId, add, at }) {
      for (let count = 0; count < 5; count++) await add()
      const page = await storage.events.readEvents({ workspaceId, afterSeq: 1, limit: 2 }, at())
      assert.deepEqual(
        page.map((event) => event.seq),
        [2, 3],
      )
      assert.deepEqual(await storage.events.readEvents({ workspaceId, afterSeq: 5, limit: 2 }, at()), [])
    },
  },
  {
    id: 'events.tenancy',
    name: 'each workspace has its own log, which begins with 1',
    async check({ add, addWorkspace, events }) {
      await add()
      const { workspaceId } = await addWorkspace()
      await add({ workspaceId })
      const others = await events(workspaceId)
      assert.deepEqual(
        others.map((event) => [event.seq, event.workspaceId]),
        [[1, workspaceId]],
      )
    },
  },
  {
    id: 'events.feed-end',
    name: 'the feed from its end on holds what is committed later, and nothing else',
    async check(fixture) {
      await fixture.add()
      const end = await fixture.storage.events.feedEnd({ after: null }, fixture.at())
      assert.deepEqual(await readAll(fixture, end, 10), [])
      const task = await fixture.add()
      const [event, ...others] = await readAll(fixture, end, 10)
      assert.equal(others.length, 0)
      assert.ok(event?.type === 'task.created')
      assert.equal(event.data.taskId, task.id)
    },
  },
  {
    id: 'events.feed-complete',
    name: 'the feed holds every event of every workspace once, in each one’s order, in pages of any size',
    async check(fixture) {
      const start = await fixture.storage.events.feedEnd({ after: null }, fixture.at())
      const other = await fixture.addWorkspace()
      await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          fixture.add(index % 2 === 0 ? {} : { workspaceId: other.workspaceId }),
        ),
      )
      for (const limit of [1, 7, 100]) {
        const fed = await readAll(fixture, start, limit)
        for (const workspaceId of [fixture.workspaceId, other.workspaceId]) {
          const own = fed.filter((event) => event.workspaceId === workspaceId)
          assert.deepEqual(own, await fixture.events(workspaceId))
        }
        assert.equal(fed.length, 30)
      }
    },
  },
  {
    id: 'events.on-commit',
    name: 'a listener is called with commits until it is removed, and its errors do no harm',
    async check({ storage, add }) {
      let notified = 0
      const stopThrowing = storage.events.onCommit(() => {
        throw new Error('a listener’s fault')
      })
      const stop = storage.events.onCommit(() => (notified += 1))
      await add()
      await new Promise((resolve) => setTimeout(resolve, 0))
      if (storage.commitNotifications === 'complete') assert.ok(notified >= 1)
      stop()
      stopThrowing()
      const before = notified
      await add()
      await new Promise((resolve) => setTimeout(resolve, 0))
      assert.equal(notified, before)
    },
  },
  {
    id: 'events.revocations',
    name: 'only a commit that revokes a task from its agent reports a revocation',
    async check(fixture) {
      const { storage, workspaceId, add, addClaimed, addAgent, at } = fixture
      const { tasks } = storage
      const other = await addAgent('other')
      let revocations = 0
      const stop = storage.events.onCommit(({ revokes }) => void (revocations += revokes ? 1 : 0))
      const revocationsOf = async (work: () => Promise<unknown>): Promise<number> => {
        const before = revocations
        await work()
        await new Promise((resolve) => setTimeout(resolve, 0))
        return revocations - before
      }
      const hold = (id: string, tx?: unknown) =>
        changeTask(
          tasks,
          { workspaceId, id },
          { kind: 'hold', reason: 'cancelled', message: null, actor: PERSON },
          at(0, tx),
        )
      const takings: readonly ((id: string) => Promise<unknown>)[] = [
        (id) => changeTask(tasks, { workspaceId, id }, { kind: 'move', to: 'TODO', actor: PERSON }, at()),
        (id) => changeTask(tasks, { workspaceId, id }, { kind: 'move', to: 'DONE', actor: PERSON }, at()),
        (id) => hold(id),
        (id) =>
          changeTask(
            tasks,
            { workspaceId, id },
            { kind: 'edit', change: { assignedTo: other.id }, actor: PERSON },
            at(),
          ),
        (id) =>
          changeTask(
            tasks,
            { workspaceId, id },
            { kind: 'edit', change: { assignedTo: other.id, dependsOn: [] }, actor: PERSON },
            at(),
          ),
        (id) => tasks.deleteTask({ workspaceId, taskId: id, actor: PERSON }, at()),
        (id) => storage.transaction((tx) => hold(id, tx)),
      ]
      for (const take of takings) {
        const { id } = await addClaimed({ priority: 'urgent' })
        assert.equal(await revocationsOf(() => take(id)), 1)
        await tasks.deleteTask({ workspaceId, taskId: id, actor: PERSON }, at()).catch(() => undefined)
      }
      const { id, fencingToken } = await addClaimed({ priority: 'urgent' })
      const proof = { workspaceId, taskId: id, fencingToken }
      const idle = await add()
      const harmless: readonly (() => Promise<unknown>)[] = [
        () => hold(idle.id),
        () =>
          changeTask(
            tasks,
            { workspaceId, id: idle.id },
            { kind: 'edit', change: { assignedTo: other.id }, actor: PERSON },
            at(),
          ),
        () =>
          changeTask(
            tasks,
            { workspaceId, id },
            { kind: 'edit', change: { assignedTo: fixture.agent.id, title: 'new' }, actor: PERSON },
            at(),
          ),
        () =>
          changeTask(
            tasks,
            { workspaceId, id },
            { kind: 'edit', change: { assignedTo: null }, actor: PERSON },
            at(),
          ),
        () => tasks.deleteTask({ workspaceId, taskId: idle.id, actor: PERSON }, at()),
        () => changeClaimed(tasks, proof, { kind: 'progress', progress: 50, leaseMs: null }, at()),
        () => tasks.completeTask({ proof, result: 'done', next: null }, at()),
      ]
      for (const change of harmless) assert.equal(await revocationsOf(change), 0)
      stop()
    },
  },
  {
    id: 'events.prune',
    name: 'pruning deletes the oldest from before an instant, at most the limit, and no seq is given twice',
    async check({ storage, workspaceId, add, events, at }) {
      for (let day = 0; day < 4; day++) await add({}, at(day * DAY))
      await storage.analytics.rollUp({ limit: 100 }, at())
      assert.equal(
        await storage.prune({ rows: 'events', olderThanMs: DAY, limit: 1 }, { now: START + 3 * DAY }),
        1,
      )
      assert.equal(
        await storage.prune({ rows: 'events', olderThanMs: DAY, limit: 10 }, { now: START + 3 * DAY }),
        1,
      )
      assert.equal(
        await storage.prune({ rows: 'events', olderThanMs: 0, limit: 10 }, { now: START + 2 * DAY }),
        0,
      )
      await add({}, at(4 * DAY))
      assert.deepEqual(
        (await events()).map((event) => event.seq),
        [3, 4, 5],
      )
      const page = await storage.events.readEvents({ workspaceId, afterSeq: 3, limit: 1 }, at())
      assert.equal(page[0]?.seq, 4)
    },
  },
  {
    id: 'events.prune-feed',
    name: 'a reader whose place was pruned resumes with the oldest event that is left',
    async check(fixture) {
      const start = await fixture.storage.events.feedEnd({ after: null }, fixture.at())
      for (let day = 0; day < 4; day++) await fixture.add({}, fixture.at(day * DAY))
      await fixture.storage.analytics.rollUp({ limit: 100 }, fixture.at())
      await fixture.storage.prune({ rows: 'events', olderThanMs: 0, limit: 10 }, { now: START + 2 * DAY })
      const fed = await readAll(fixture, start, 1)
      assert.deepEqual(
        fed.map((event) => event.seq),
        [3, 4],
      )
    },
  },
  {
    id: 'agents.status',
    name: 'an agent’s status is kept, and emitted once per change',
    async check({ storage, agent, workspaceId, events, at }) {
      for (const status of ['available', 'available', 'busy'] as const) {
        await storage.agents.reportPresence({ workspaceId, agentId: agent.id, status }, at(SECOND))
      }
      const [kept] = await storage.agents.listAgents({ reach: null, agentIds: [agent.id] }, at())
      assert.equal(kept?.status, 'busy')
      assert.deepEqual(
        (await events()).map(({ type, data }) => [type, data]),
        ['available', 'busy'].map((status) => ['agent.status', { agentId: agent.id, status }]),
      )
    },
  },
  {
    id: 'agents.status-unknown',
    name: 'the status of an unknown or foreign agent is ignored',
    async check({ storage, agent, addWorkspace, events, at }) {
      const { workspaceId } = await addWorkspace()
      await storage.agents.reportPresence({ workspaceId, agentId: agent.id, status: 'busy' }, at())
      await storage.agents.reportPresence({ workspaceId, agentId: unknownId('agent'), status: 'busy' }, at())
      assert.deepEqual([await events(), await events(workspaceId)], [[], []])
    },
  },
  {
    id: 'agents.list',
    name: 'agents are listed oldest first, and read one by one by their own workspace only',
    async check({ storage, accountId, agent, workspaceId, addAgent, addWorkspace, at }) {
      const { budgetSpentUntil, ...second } = await addAgent('other', at(SECOND))
      assert.equal(budgetSpentUntil, null)
      assert.deepEqual(await storage.agents.listAgents({ reach: null, workspaceId }, at()), [agent, second])
      assert.deepEqual(await storage.agents.listAgents({ reach: null, agentIds: [second.id] }, at()), [
        second,
      ])
      const other = await addWorkspace()
      const reach = { accountId, workspaceIds: [other.workspaceId] }
      assert.deepEqual(await storage.agents.listAgents({ reach, agentIds: [agent.id] }, at()), [])
    },
  },
  {
    id: 'agents.insert-unknown',
    name: 'an agent for an unknown workspace is NOT_FOUND',
    check: ({ storage, at }) =>
      assertRefused(
        storage.agents.insertAgent(
          {
            agent: { ...agentFields.empty, workspaceId: unknownId('ws'), name: 'n', type: 't' },
            idempotency: null,
          },
          at(),
        ),
        'NOT_FOUND',
      ),
  },
]
