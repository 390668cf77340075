import { memoryStorage } from '@taskboard/memory'
import { expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'
import type { TaskboardOptions } from '../wiring/taskboard-options.js'
import type { Bot } from './bot.js'

const bot: Bot = {
  name: 'chat',
  label: 'Chat',
  path: '/bots/chat',
  handle: async () => ({ status: 200 }),
  show: async () => ({ outcome: 'gone' }),
}
const people = { principal: () => null }

function faultOf(options: Partial<TaskboardOptions>): unknown {
  const given = { storage: memoryStorage(), logger: false, authenticate: () => null, people } as const
  try {
    createTaskboard({ ...given, publicUrl: 'https://app.example', ...options })
    return null
  } catch (error) {
    const { code, field, message } = error as { code: string; field: string; message: string }
    return [code, field, message]
  }
}

it.each([
  ['a value that is no bot', { bots: [{ ...bot, show: undefined } as unknown as Bot] }, 'bots'],
  ['no list', { bots: bot as unknown as Bot[] }, 'bots'],
  ['null in the list', { bots: [null as unknown as Bot] }, 'bots'],
  ['a name that a storage could confuse', { bots: [{ ...bot, name: 'Chat 1' }] }, 'bots'],
  ['two bots of one name', { bots: [bot, { ...bot, path: '/bots/other' }] }, 'bots'],
  ['two bots at one path', { bots: [bot, { ...bot, name: 'other' }] }, 'bots'],
  ['no public address', { bots: [bot], publicUrl: undefined }, 'publicUrl'],
  ['a login of the host that names no people', { bots: [bot], people: undefined }, 'people'],
] as const)('bots are rejected with %s', (_, options, field) => {
  expect(faultOf(options)).toEqual(['INVALID_CONFIG', field, expect.stringContaining(field)])
})

it('are accepted with different names and paths, and without a path when they poll', () => {
  expect(faultOf({ bots: [bot, { ...bot, name: 'other', path: null }] })).toBeNull()
})
