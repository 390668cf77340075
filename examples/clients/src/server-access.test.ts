import { describe, expect, it } from 'vitest'
import { readAccess } from './server-access.js'

describe('readAccess', () => {
  it('takes the address of npm start, or another one', () => {
    expect(readAccess({ TASKBOARD_KEY: ' tb_1 ' })).toEqual({ url: 'http://127.0.0.1:3000', key: 'tb_1' })
    expect(readAccess({ TASKBOARD_KEY: 'tb_1', TASKBOARD_URL: 'https://board.example/x/' }).url).toBe(
      'https://board.example/x',
    )
  })

  it.each([
    [{}, 'TASKBOARD_KEY must hold an API key'],
    [{ TASKBOARD_KEY: 'tb_1', TASKBOARD_URL: 'board.example' }, 'TASKBOARD_URL must be the address'],
    [{ TASKBOARD_KEY: 'tb_1', TASKBOARD_URL: 'http://' }, 'TASKBOARD_URL must be the address'],
  ])('refuses %j and says why', (env, reason) => {
    expect(() => readAccess(env)).toThrow(reason)
  })
})
