import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCommand, readTask } from './command.js'
import { dueAt, readDue } from './due.js'

const task = (title: string, parts: object = {}) => ({
  kind: 'task',
  title,
  description: null,
  priority: null,
  due: null,
  agent: null,
  tags: [],
  type: null,
  ...parts,
})

describe('a text', () => {
  it('with thousands of quotation marks is read in a moment', () => {
    const text = `"${'",x'.repeat(15_000)}`
    const before = performance.now()
    expect(readTask(text).title).toContain('",x')
    expect(performance.now() - before).toBeLessThan(500)
    const parts = Array.from({ length: 400 }, (_, number) => `, #tag${number}`).join('')
    expect(readTask(`"Far too many"${parts}, high`).title).toBe('"Far too many"')
  })

  it('is a command when its first word is one, alone or with its argument, and else a task', () => {
    expect(readCommand('')).toEqual({ kind: 'help' })
    expect(readCommand('list')).toEqual({ kind: 'list' })
    expect(readCommand('list the offers')).toEqual(task('list the offers'))
    expect(readCommand('cancel #k3x9wd')).toEqual({ kind: 'cancel', handle: '#k3x9wd' })
    expect(readCommand('cancel #\u2060K3X9WD')).toEqual({ kind: 'cancel', handle: '#k3x9wd' })
    expect(readCommand('cancel my subscription')).toEqual(task('cancel my subscription'))
    expect(readCommand('"list"')).toEqual(task('list'))
    expect(readCommand('why')).toEqual({ kind: 'why', handle: null })
    expect(readCommand('priority high')).toEqual({ kind: 'priority', handle: null, priority: 'high' })
    expect(readCommand('priority of the day')).toEqual(task('priority of the day'))
    expect(readCommand('comment #k3x9wd so be it')).toEqual({
      kind: 'comment',
      handle: '#k3x9wd',
      text: 'so be it',
    })
    expect(readCommand('connect abcd-ef01-2345')).toEqual({ kind: 'link', code: 'abcd-ef01-2345' })
    expect(readCommand('connect “Two words”')).toEqual({ kind: 'connect', workspace: 'Two words' })
  })

  it('ends with the parts of a task, each of which is exactly one', () => {
    const due = { day: 'friday', minutes: 1_020 }
    const parts = { priority: 'high', due, agent: 'Robo', tags: ['a', 'b'], type: 'research' }
    expect(
      readTask('Compare, then choose, high, due friday 17:00, for robo, #a, #b, type research', ['Robo']),
    ).toMatchObject({
      title: 'Compare, then choose',
      ...parts,
    })
    expect(readTask('Buy flowers, for grandma', ['Robo']).title).toBe('Buy flowers, for grandma')
    expect(readTask('Wait, due someday').title).toBe('Wait, due someday')
    expect(readTask('High, high, low').title).toBe('High, high')
    expect(readTask(', high').title).toBe(', high')
  })

  it('that is long has a title of 200 code points, and the rest as description', () => {
    const { title, description } = readTask(`${'🙂'.repeat(201)}\nmore`)
    expect([Array.from(title).length, description]).toEqual([200, '🙂\nmore'])
  })

  const titles = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((title) => {
    const isLine = !/[\r\n]/.test(title) && title.trim() !== ''
    return isLine && Array.from(title).length <= 200
  })

  it('in quotation marks is a title, whatever is in it', () => {
    fc.assert(
      fc.property(titles, (title) => {
        expect(readCommand(`"${title}"`)).toEqual(task(title))
      }),
    )
  })

  it('in quotation marks keeps its title with parts behind it', () => {
    const priorities = fc.constantFrom('urgent', 'high', 'low')
    fc.assert(
      fc.property(titles, priorities, (title, priority) => {
        const read = readCommand(`"${title}", ${priority}, #tag`)
        expect(read).toMatchObject({ title, priority, tags: ['tag'] })
      }),
    )
  })
})

describe('a due date', () => {
  const now = Date.UTC(2026, 2, 27, 23, 30)
  const at = (text: string, zone: string) => {
    const due = readDue(text)
    return due && new Date(dueAt(due, now, zone)).toISOString()
  }

  it('is meant in the zone of the person, over changes of its clocks', () => {
    expect(at('today 12:00', 'UTC')).toBe('2026-03-27T12:00:00.000Z')
    expect(at('today 12:00', 'Asia/Tokyo')).toBe('2026-03-28T03:00:00.000Z')
    expect(at('tomorrow', 'Europe/Oslo')).toBe('2026-03-29T21:59:00.000Z')
    expect(at('2026-03-30 09:00', 'Europe/Oslo')).toBe('2026-03-30T07:00:00.000Z')
    expect(at('saturday 08:00', 'Asia/Tokyo')).toBe('2026-04-03T23:00:00.000Z')
    expect(at('fri 08:00', 'UTC')).toBe('2026-04-03T08:00:00.000Z')
  })

  it('that is none is refused', () => {
    for (const text of [
      '',
      'someday',
      '2026-02-30',
      '2026-13-01',
      'today 24:00',
      'today 9',
      'today 09:00 or so',
    ]) {
      expect(readDue(text)).toBeNull()
    }
  })
})
