import { describe, expect, it } from 'vitest'
import { defineAgent, type AgentOptions } from './define-agent.js'

const run = (): string => 'done'

describe('defineAgent', () => {
  it('fills in the defaults', () => {
    expect(defineAgent({ type: 'research', run })).toMatchObject({
      type: 'research',
      name: 'research',
      concurrency: 1,
      leaseMs: 60_000,
      chat: null,
    })
  })

  it('keeps the given fields, and the methods’ object', async () => {
    const agent = defineAgent({
      type: 'writer-2',
      name: 'The writer',
      concurrency: 100_000,
      leaseMs: 1_000,
      run() {
        return this.name
      },
      chat(message) {
        return `${this.name}: ${message}`
      },
    })
    expect(agent).toMatchObject({
      type: 'writer-2',
      name: 'The writer',
      concurrency: 100_000,
      leaseMs: 1_000,
    })
    expect(agent.run({} as never, {} as never)).toBe('The writer')
    expect(await agent.chat?.('hello', {} as never)).toBe('The writer: hello')
  })

  it.each(['Deep Research', 'Übersetzung: DE → EN', '🤖'.repeat(64)])(
    'takes any text as type: %s',
    (type) => {
      expect(defineAgent({ type, run })).toMatchObject({ type, name: type })
    },
  )

  it.each<[string, Record<string, unknown>]>([
    ['type', { type: ' ' }],
    ['type', { type: 'a'.repeat(65) }],
    ['type', { type: undefined, name: 'x' }],
    ['concurrency', { concurrency: 0 }],
    ['concurrency', { concurrency: 1.5 }],
    ['concurrency', { concurrency: 100_001 }],
    ['name', { name: '  ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: '\uD800' }],
    ['leaseMs', { leaseMs: 999 }],
    ['leaseMs', { leaseMs: 86_400_001 }],
    ['run', { run: 'run' }],
    ['chat', { chat: true }],
  ])('refuses a wrong %s: %j', (field, change) => {
    const options = { type: 'research', run, ...change } as unknown as AgentOptions
    expect(() => defineAgent(options)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', field }))
  })
})
