import { isTaskboardError } from '@taskboard/core'
import { describe, expect, it } from 'vitest'
import { boardSchema } from './board-schema.js'
import { statement } from './statement.js'

describe('a schema of a board', () => {
  it('leaves everything as it is by default', () => {
    const asked = statement('get_task', 'select from taskboard.task')
    const { channel, in: inSchema, statement: on } = boardSchema()
    expect(channel).toBe('taskboard')
    expect(inSchema(asked.text)).toBe(asked.text)
    expect(on(asked)).toBe(asked)
  })

  it.each(['board', 'Board', 'order', 'my board-2', '_b', 'Täsks', 'x'.repeat(63)])(
    'is in the place of the written one: %s',
    (name) => {
      const text = `select from taskboard.task t where n = 'taskboard' and taskboard.due_at(t) and my_taskboard = 1`
      expect(boardSchema(name).in(text)).toBe(
        `select from "${name}".task t where n = '${name}' and "${name}".due_at(t) and my_taskboard = 1`,
      )
      expect(boardSchema(name).in('create schema if not exists taskboard;')).toBe(
        `create schema if not exists "${name}";`,
      )
    },
  )

  it('has its own channel and its own names of plans, the same each time', () => {
    const asked = statement('get_task', 'select from taskboard.task')
    const [one, other] = [boardSchema('one'), boardSchema('other')]
    const names = [asked, one.statement(asked), other.statement(asked)].map(({ name }) => name)
    expect(new Set(names).size).toBe(3)
    for (const name of names) expect(name).toMatch(/^taskboard_get_task_[0-9a-f]{8}$/)
    expect(one.statement(asked)).toBe(one.statement(asked))
    expect(boardSchema('one').channel).toBe(one.channel)
    expect(new Set([one.channel, other.channel, 'taskboard']).size).toBe(3)
    for (const { channel } of [one, other]) expect(channel).toMatch(/^[a-z_0-9]{1,63}$/)
  })

  it.each([
    '',
    ' board',
    '2boards',
    'a"; drop schema public cascade; --',
    "a'b",
    'a\\b',
    'a$$b',
    'a.b',
    'a\nb',
    'a\0b',
    'pg_temp',
    'PG_board',
    'information_schema',
    'x'.repeat(64),
    'ä'.repeat(32),
    null,
    7,
    {},
  ])('is refused: %j', (name) => {
    const refused = (): unknown => boardSchema(name)
    expect(refused).toThrow(/^schema must be a schema name/)
    try {
      refused()
    } catch (error) {
      expect(isTaskboardError(error, 'INVALID_CONFIG') && error.field).toBe('schema')
    }
  })
})
