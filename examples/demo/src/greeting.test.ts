import { describe, expect, it } from 'vitest'
import { greet, type Greeting } from './greeting.js'

const LONG_ID = '01m85afabv000mmw7jxs5858aj'
const usual: Greeting = {
  framework: 'Express',
  url: 'http://127.0.0.1:3000',
  dashboardUrl: `http://127.0.0.1:3000/dashboard/#login=${'x'.repeat(380)}`,
  place: 'in PGlite under .taskboard',
  keyPlace: '.taskboard/encryption-key',
  workspaceId: `ws_${LONG_ID}`,
  webhookAllow: [],
  worker: null,
  model: null,
  hasBot: false,
  accountName: 'Demo',
  isNew: true,
  owner: { email: 'owner@taskboard.example', password: 'p'.repeat(24) },
  key: `tb_${'k'.repeat(39)}`,
  expiresAt: Date.UTC(2026, 10, 22, 10, 30, 0, 123),
}
const worker = { agentId: `agent_${LONG_ID}`, key: `tb_${'w'.repeat(39)}` }

describe('the greeting', () => {
  it.each<readonly [string, Partial<Greeting>]>([
    ['of a new board', {}],
    ['of one that exists', { isNew: false, owner: { email: 'owner@taskboard.example', password: null } }],
    ['for a worker', { worker }],
    ['of a model', { model: 'llama3.2' }],
    [
      'on Fastify, with webhooks to this machine',
      { framework: 'Fastify', webhookAllow: ['127.0.0.0/8', '::1'] },
    ],
  ])('%s fits into a window, and ends with the link', (_, given) => {
    const lines = greet({ ...usual, ...given }).split('\n')
    expect(lines.length).toBeLessThanOrEqual(25)
    expect(lines.at(-1)).toBe(`  ${usual.dashboardUrl}`)
    const isPasted = (line: string): boolean => /^ {2}(?:curl|http)/.test(line)
    expect(lines.filter((line) => line.length > 80 && !isPasted(line))).toEqual([])
    expect(lines.filter(isPasted)).toHaveLength(2)
  })

  it('shows each secret once', () => {
    const text = greet({ ...usual, worker })
    for (const secret of [usual.key, worker.key, usual.owner.password ?? '']) {
      expect(text.split(secret)).toHaveLength(2)
    }
  })
})
