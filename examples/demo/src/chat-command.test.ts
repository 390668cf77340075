import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseChat } from './chat-command.js'

const NOW = Date.UTC(2026, 10, 21, 10, 30)
const TOMORROW = Date.UTC(2026, 10, 23) - 1

describe('parseChat', () => {
  it.each([
    ['add Write the report, urgent, due tomorrow', 'Write the report', 'urgent', TOMORROW, []],
    ['Please add a task: Call Bob, low priority', 'Call Bob', 'low', null, []],
    [
      'can you create a new task to water the plants, #home, #green',
      'water the plants',
      null,
      null,
      ['home', 'green'],
    ],
    ['new task Buy milk, eggs, high', 'Buy milk, eggs', 'high', null, []],
    ['add task manager docs', 'task manager docs', null, null, []],
    ['add high, low', 'high', 'low', null, []],
    ['ADD Something,', 'Something', null, null, []],
  ])('reads %j as a task', (message, title, priority, dueDate, tags) => {
    expect(parseChat(message, NOW)).toEqual({
      kind: 'add',
      title,
      description: null,
      priority,
      dueDate,
      tags,
    })
  })

  it('reads the further lines as the description', () => {
    expect(parseChat('add Launch, urgent\n- [x] one\n- two', NOW)).toMatchObject({
      title: 'Launch',
      priority: 'urgent',
      description: '- [x] one\n- two',
    })
  })

  it.each([
    ['list', { kind: 'list', column: 'TODO' }],
    ['list doing', { kind: 'list', column: 'DOING' }],
    ['Show me the done tasks', { kind: 'list', column: 'DONE' }],
    ['please list tasks in done!', { kind: 'list', column: 'DONE' }],
    ['status', { kind: 'status' }],
    ['How is it going?', { kind: 'status' }],
    ['result', { kind: 'result', taskId: null }],
    ['show the last result', { kind: 'result', taskId: null }],
    ['Result of task_01ab', { kind: 'result', taskId: 'task_01ab' }],
    ['what can you do?', { kind: 'help' }],
    ['?', { kind: 'help' }],
    ['hello, help', { kind: 'help' }],
    ['Tell me a joke', { kind: 'unknown' }],
    ['address the problem', { kind: 'unknown' }],
    ['', { kind: 'unknown' }],
    ['add', { kind: 'unclear', problem: 'a task needs a title' }],
    ['add Party, due sometime', { kind: 'unclear', problem: '"sometime" is not a date that I know' }],
  ])('reads %j', (message, command) => {
    expect(parseChat(message, NOW)).toEqual(command)
  })

  it('understands or rejects every message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'add ', 'list '), (text, start) => {
        expect(['add', 'list', 'status', 'result', 'help', 'unclear', 'unknown']).toContain(
          parseChat(start + text, NOW).kind,
        )
      }),
    )
  })
})
