import { expect, it } from 'vitest'
import { operationSchemas } from './operation-schemas.js'

it('gives the fields of an operation by its id, and the method of a client', () => {
  const { client, query, body, answer } = operationSchemas('completeTask')
  expect(client).toBe('tasks.complete')
  expect(Object.keys(query.shape)).toEqual([])
  expect(Object.keys(body.shape)).toEqual(['fencing_token', 'result', 'take_over'])
  expect(Object.keys(answer.shape)).toContain('status')
})

it('gives no fields where an operation takes or answers nothing', () => {
  const { body, answer } = operationSchemas('deleteTask')
  expect([body, answer].map(({ shape }) => Object.keys(shape))).toEqual([[], []])
})

it('refuses an id of no operation', () => {
  expect(() => operationSchemas('completeTasks')).toThrow(
    'no operation completeTasks on tasks, approvals, agents or the account',
  )
})
