import assert from 'node:assert/strict'
import { addTask, assertDone, assertRefused, listTasks, sessionCase } from './board-session.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'

const DAY_MS = 86_400_000

/** Listing, adding and moving: every field of the documented tables. */
export function taskCases(options: TransportConformanceOptions): readonly TransportCase[] {
  const define = sessionCase.bind(null, options)
  return [
    define('list-empty', 'each column of an empty board is an empty list', async (session) => {
      for (const column of ['todo', 'doing', 'done']) {
        assert.deepEqual(assertDone(await session.action(column)), { success: true, tasks: [], count: 0 })
      }
    }),
    define('add-title', 'a title is enough; the answer carries five fields', async (session) => {
      const task = await addTask(session, { title: 'Write the report' })
      assert.match(task.id, /^task_[0-9a-z]{26}$/)
      assert.deepEqual(task, {
        id: task.id,
        title: 'Write the report',
        status: 'TODO',
        priority_score: 0.2833,
        created_at: '2026-01-01T00:00:00.000Z',
      })
    }),
    define('list-fields', 'a list carries all listed fields', async (session) => {
      const full = {
        title: 'Prepare “Ünïcode” 🚀',
        description: 'Line one\nline "two"',
        priority: 'high',
        due_date: '2026-01-08T02:00:00+02:00',
        tags: ['a', 'b\\c'],
      }
      const { id } = await addTask(session, full)
      assert.deepEqual(await listTasks(session, 'todo'), [
        {
          ...full,
          id,
          priority_score: 0.6117,
          status: 'TODO',
          created_at: '2026-01-01T00:00:00.000Z',
          due_date: '2026-01-08T00:00:00.000Z',
        },
      ])
    }),
    define('add-type', 'the type of a task is any text of 1 to 64 characters', async (session) => {
      const types = ['research', 'Deep Research', 'Übersetzung: DE → EN', '🤖'.repeat(64)]
      for (const type of types) await addTask(session, { title: 'typed', type })
      const stored = (await session.storedTasks()).map(({ type }) => type)
      assert.deepEqual(new Set(stored), new Set(types))
      for (const type of ['', ' ', 'x'.repeat(65), 7])
        assertRefused(await session.action('add', { title: 'x', type }), 400, 'INVALID_FIELD')
    }),
    define('list-absent', 'absent optional fields are null, and tags an empty list', async (session) => {
      const given = { title: 'Bare', description: null, priority: null, due_date: null, tags: null }
      const { id } = await addTask(session, given)
      assert.deepEqual(await listTasks(session, 'todo'), [
        {
          id,
          title: 'Bare',
          description: null,
          priority: 'medium',
          priority_score: 0.2833,
          status: 'TODO',
          created_at: '2026-01-01T00:00:00.000Z',
          due_date: null,
          tags: [],
        },
      ])
    }),
    define('add-score', 'the score weighs priority, due date and dependencies', async (session) => {
      const urgent = await addTask(session, { title: 'u', priority: 'urgent' })
      const low = await addTask(session, { title: 'l', priority: 'low' })
      const due = await addTask(session, { title: 'd', priority: 'low', due_date: '2026-01-01T00:00:00Z' })
      const blocked = await addTask(session, { title: 'b', priority: 'low', depends_on: [low.id] })
      const scores = [urgent, low, due, blocked].map((task) => task['priority_score'])
      assert.deepEqual(scores, [0.55, 0.15, 0.45, 0])
    }),
    define('list-score-moves', 'time moves the score in lists', async (session) => {
      await addTask(session, { title: 'old', priority: 'low' })
      await session.clock.advance({ days: 30 })
      const [task] = await listTasks(session, 'todo')
      assert.equal(task?.['priority_score'], 0.3)
      assert.equal(task['created_at'], '2026-01-01T00:00:00.000Z')
    }),
    define('list-order', 'TODO by score, DOING by start, DONE newest first', async (session) => {
      const titles = async (column: string): Promise<unknown[]> =>
        (await listTasks(session, column)).map((task) => task['title'])
      const priorities = ['low', 'urgent', 'medium', 'high']
      const ids: string[] = []
      for (const priority of priorities) ids.push((await addTask(session, { title: priority, priority })).id)
      assert.deepEqual(await titles('todo'), ['urgent', 'high', 'medium', 'low'])
      for (const to of ['doing', 'done']) {
        for (const task_id of ids) {
          assertDone(await session.action('move', { task_id, to }))
          await session.clock.advance({ seconds: 1 })
        }
        assert.deepEqual(await titles(to), to === 'doing' ? priorities : priorities.toReversed())
      }
    }),
    define(
      'move',
      'a task moves from any column to any, and the answer carries five fields',
      async (session) => {
        const { id } = await addTask(session, { title: 'Wanderer' })
        for (const to of ['doing', 'done', 'todo', 'done', 'doing', 'todo', 'todo']) {
          const body = assertDone(await session.action('move', { task_id: id, to }))
          assert.deepEqual(body, {
            success: true,
            task: {
              id,
              title: 'Wanderer',
              status: to.toUpperCase(),
              priority_score: 0.2833,
              created_at: '2026-01-01T00:00:00.000Z',
            },
          })
          assert.deepEqual(
            (await listTasks(session, to)).map((task) => task['id']),
            [id],
          )
        }
      },
    ),
    define('title-length', 'titles of 1 to 200 code points, counted after trimming', async (session) => {
      const longest = '🦜'.repeat(200)
      assert.equal((await addTask(session, { title: ` ${longest} ` }))['title'], longest)
      assertRefused(await session.action('add', { title: `${longest}x` }), 400, 'INVALID_FIELD')
      assertRefused(await session.action('add', { title: ' \n ' }), 400, 'INVALID_FIELD')
      assert.equal((await session.storedTasks()).length, 1)
    }),
    define('list-pages', 'limit and cursor page through a column, each task once', async (session) => {
      for (let i = 0; i < 5; i++)
        await addTask(session, { title: `t${i}`, due_date: `2026-01-0${i + 2}T00:00:00Z` })
      const seen: unknown[] = []
      let query = 'todo&limit=2'
      for (const count of [2, 2, 1]) {
        const body = assertDone(await session.request({ path: `/api/board?action=${query}` }))
        assert.equal(body['count'], count)
        assert.equal('next_cursor' in body, count === 2)
        seen.push(...(body['tasks'] as { title: string }[]).map(({ title }) => title))
        query = `todo&limit=2&cursor=${encodeURIComponent(String(body['next_cursor']))}`
        await session.clock.advance({ days: 1 })
      }
      assert.deepEqual(seen, ['t0', 't1', 't2', 't3', 't4'])
    }),
    define('list-exact-page', 'a page that is the last has no next_cursor', async (session) => {
      for (const title of ['a', 'b']) await addTask(session, { title })
      for (const limit of ['2', '1000', '0002'])
        assert.equal('next_cursor' in assertDone(await session.action(`todo&limit=${limit}`)), false)
    }),
    define('list-whole', 'without a limit a list holds up to 1,000 tasks', async (session) => {
      const board = session.taskboard.board(session.workspaceId)
      for (let count = 0; count < 1_000; count++) await board.add({ title: 'one of many' })
      const whole = assertDone(await session.action('todo'))
      assert.deepEqual([whole['count'], 'next_cursor' in whole], [1_000, false])
      await board.add({ title: 'one too many' })
      const first = assertDone(await session.action('todo'))
      assert.equal(first['count'], 1_000)
      const cursor = encodeURIComponent(String(first['next_cursor']))
      const rest = assertDone(await session.request({ path: `/api/board?action=todo&cursor=${cursor}` }))
      assert.deepEqual([rest['count'], 'next_cursor' in rest], [1, false])
      assertRefused(await session.action('todo&limit=1001'), 400, 'INVALID_FIELD')
    }),
    define(
      'list-held',
      'a task on hold says so, and comes after those that can be picked',
      async (session) => {
        const board = session.taskboard.board(session.workspaceId)
        const { id } = await addTask(session, { title: 'held', priority: 'urgent' })
        const silent = await addTask(session, { title: 'silent', priority: 'high' })
        await addTask(session, { title: 'free', priority: 'low' })
        await board.hold(id, { reason: 'needs_input', message: 'Which "colour"?' })
        await board.hold(silent.id, { reason: 'approval' })
        const tasks = await listTasks(session, 'todo')
        assert.deepEqual(
          tasks.map((task) => [task['title'], task['hold']]),
          [
            ['free', undefined],
            ['held', { reason: 'needs_input', message: 'Which "colour"?' }],
            ['silent', { reason: 'approval', message: null }],
          ],
        )
        assert.equal(Object.hasOwn(tasks[0] ?? {}, 'hold'), false)
        await board.release(id)
        const [first] = await listTasks(session, 'todo')
        assert.deepEqual([first?.['title'], Object.hasOwn(first ?? {}, 'hold')], ['held', false])
      },
    ),
    define('head', 'HEAD answers as GET does, without a body', async (session) => {
      await addTask(session, { title: 'é' })
      const path = '/api/board?action=todo'
      const got = await session.request({ path })
      const head = await session.request({ path, method: 'HEAD' })
      assert.equal(head.status, 200)
      assert.equal(head.text, '')
      for (const name of ['content-type', 'content-length', 'cache-control', 'x-content-type-options']) {
        assert.equal(head.headers[name], got.headers[name], name)
      }
    }),
    define('add-more-fields', 'the further fields of a task are taken', async (session) => {
      const body = { type: 'research', not_before: '2026-02-01T00:00:00Z', metadata: { k: 'v', l: ['a'] } }
      const { id } = await addTask(session, { title: 'x', ...body })
      const task = await session.taskboard.board(session.workspaceId).get(id)
      const { type, notBefore, metadata } = task
      assert.deepEqual(
        { type, notBefore, metadata },
        {
          type: 'research',
          notBefore: session.clock.now() + 31 * DAY_MS,
          metadata: { k: 'v', l: ['a'] },
        },
      )
    }),
    define(
      'body-forms',
      'a byte order mark, repeated keys and a charset are no obstacle',
      async (session) => {
        const type = (value: string): Record<string, string> => ({ 'content-type': value })
        assertDone(await session.action('add', '\uFEFF{"title":"bom"}'))
        assertDone(await session.action('add', '{"title":7,"title":"last"}'))
        assertDone(await session.action('add', ' {"title":"utf"} ', type('application/json; charset=UTF-8')))
        assertDone(await session.action('add', '{"title":"case"}', type('Application/JSON;charset="utf-8"')))
        assertDone(await session.action('add', '{"title":"identity"}', { 'content-encoding': 'identity' }))
        const titles = (await session.storedTasks()).map(({ title }) => title)
        assert.deepEqual(titles.toSorted(), ['bom', 'case', 'identity', 'last', 'utf'])
      },
    ),
  ]
}
