import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeRun, encodeRun } from './run-handle.js'

const hostile = [
  '',
  'run_',
  'run_!!',
  'x'.repeat(10_000),
  `run_${Buffer.from('{"__proto__":1}').toString('base64url')}`,
  `run_${Buffer.from('["t","a","1"]').toString('base64url')}`,
  `run_${Buffer.from('["t","a",1.5]').toString('base64url')}`,
  `run_${Buffer.from('["t","a",0]').toString('base64url')}`,
  `run_${Buffer.from('["t","a",-1]').toString('base64url')}`,
  `run_${Buffer.from('["t",{},1]').toString('base64url')}`,
  `run_${Buffer.from(JSON.stringify(['t'.repeat(65), 'a', 1])).toString('base64url')}`,
]

describe('the handle of a run', () => {
  it('holds the task, the agent and the fencing token', () => {
    const id = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme-ascii' })
    const run = fc.record({
      taskId: id,
      agentId: id,
      fencingToken: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    })
    fc.assert(
      fc.property(run, (one) => {
        expect(decodeRun(encodeRun(one))).toEqual(one)
      }),
    )
  })

  it.each(hostile)('refuses %j', (handle) => {
    expect(() => decodeRun(handle)).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field: 'run' }) as Error,
    )
  })

  it('refuses any other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeRun(`run_${text}`)).toThrow('run must be')
      }),
    )
  })
})
