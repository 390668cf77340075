import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  approvalAt,
  approvalStatuses,
  outcomeOfDecision,
  outcomeOfRequest,
  parseApprovalRequest,
  requireOwnAction,
  type ApprovalInput,
  type StoredApproval,
  type Verdict,
} from './approval.js'
import { unknownAsker } from './asker.js'
import { shortDigest } from '../events/index.js'
import { createTask, holdReasons, parseNewTask, type Actor, type Task } from './task.js'
import { transition } from './transition.js'

const NOW = 1_000_000
const EXPIRES = NOW + 1_000
const request = parseApprovalRequest({ action: 'refund', summary: 'Refund order 7', input: { order: 7 } })
const person: Actor = { kind: 'user', id: 'user_1' }
const worker: Actor = { kind: 'api_key', id: 'ak_1' }
const task = createTask(parseNewTask({ title: 'a task' }, 'ws_1', 3), {
  id: 'task_1',
  now: NOW,
  openDependencies: 0,
})
const claimed = transition(task, { kind: 'claim', agentId: 'agent_1', leaseMs: 60_000 }, NOW).task

function stored(state: StoredApproval['state'], fencingToken = 1): StoredApproval {
  return {
    id: 'apr_1',
    workspaceId: 'ws_1',
    taskId: 'task_1',
    ...request,
    state,
    agentId: 'agent_1',
    requestedBy: worker,
    asker: { kind: 'credential', owner: 'ak_1', isSession: false },
    fencingToken,
    requestedAt: NOW,
    expiresAt: EXPIRES,
    decidedBy: null,
    decidedAt: null,
    comment: null,
    usedAt: null,
  }
}

const decided = (open: StoredApproval, verdict: Verdict, decidedBy: Actor, now: number, on = task) =>
  outcomeOfDecision(on, open, { ...verdict, decidedBy, requireOtherPerson: false }, now)

const outcomeFor = (open: StoredApproval | null, now = NOW) =>
  outcomeOfRequest(claimed, open, request, { fencingToken: 1, now })

describe('a request for approval', () => {
  it('uses an approval, reports a rejection, waits for a decision, and else asks', () => {
    expect(outcomeFor(stored('approved'), EXPIRES)).toMatchObject({ kind: 'use', command: { kind: 'renew' } })
    expect(outcomeFor(stored('rejected'), EXPIRES)).toMatchObject({
      kind: 'refuse',
      command: { kind: 'renew' },
    })
    expect(outcomeFor(stored('pending'))).toMatchObject({ kind: 'wait', command: { kind: 'hold_claimed' } })
    expect(outcomeFor(stored('pending'), EXPIRES)).toMatchObject({ kind: 'ask', replaces: 'apr_1' })
    for (const open of [null, stored('used'), stored('expired')]) {
      expect(outcomeFor(open)).toMatchObject({ kind: 'ask', command: { kind: 'hold_claimed' } })
    }
  })

  it('is a repeat only behind the hold that it raised itself', () => {
    const held = transition(
      claimed,
      { kind: 'hold_claimed', fencingToken: 1, reason: 'approval', message: null },
      NOW,
    )
    const again = (open: StoredApproval, from = held.task) =>
      outcomeOfRequest(from, open, request, { fencingToken: 1, now: NOW })
    expect(again(stored('pending'))).toMatchObject({ kind: 'wait', command: null })
    expect(again(stored('pending', 7))).toMatchObject({ command: { kind: 'hold_claimed' } })
    expect(again(stored('pending'), { ...held.task, hold: null })).toMatchObject({
      command: { kind: 'hold_claimed' },
    })
    expect(again(stored('pending'), { ...held.task, fencingToken: 2 })).toMatchObject({
      command: { kind: 'hold_claimed' },
    })
  })

  it('that requires another person replaces what did not, except a rejection, and is met by what did', () => {
    const strict = { ...request, requireOtherPerson: true }
    const ofStrict = (open: StoredApproval) =>
      outcomeOfRequest(claimed, open, strict, { fencingToken: 1, now: NOW })
    for (const state of ['pending', 'approved'] as const) {
      expect(ofStrict(stored(state))).toMatchObject({ kind: 'ask', replaces: 'apr_1' })
      const kind = state === 'pending' ? 'wait' : 'use'
      expect(ofStrict({ ...stored(state), requireOtherPerson: true })).toMatchObject({ kind })
      expect(outcomeFor({ ...stored(state), requireOtherPerson: true })).toMatchObject({ kind })
    }
    expect(ofStrict(stored('rejected'))).toMatchObject({ kind: 'refuse' })
    expect(ofStrict(stored('used'))).toMatchObject({ kind: 'ask', replaces: null })
  })

  it('does not count as an attempt', () => {
    const { command } = outcomeFor(null)
    if (command === null) throw new Error('a request without a command')
    const { task: held, endedAttempt } = transition(claimed, command, NOW)
    expect(held).toMatchObject({ attempts: 0, hold: { reason: 'approval' }, lease: null })
    expect(endedAttempt).toMatchObject({ outcome: 'held' })
  })

  it('has the same digest for the same JSON in any order of members, and another one for any other JSON', () => {
    const digestOf = (input: unknown) =>
      parseApprovalRequest({ action: 'a', summary: 's', input }).inputDigest
    const input = fc.dictionary(
      fc.string().filter((name) => name !== '__proto__'),
      fc.jsonValue({ maxDepth: 3 }).map(withoutRefused),
    )
    fc.assert(
      fc.property(input, input, (one, other) => {
        const reversed = Object.fromEntries(Object.entries(one).toReversed())
        expect(digestOf(reversed)).toBe(digestOf(one))
        const isSame = digestOf(one) === digestOf(other)
        expect(isSame).toBe(canonical(one) === canonical(other))
      }),
    )
  })

  it.each<[string, unknown]>([
    ['a date', { at: new Date(0) }],
    ['a map', new Map([['order', 7]])],
    ['not a number', { cents: Number.NaN }],
    ['half a character', { note: '\ud800' }],
    ['a function', () => 7],
    ['too much', { note: 'x'.repeat(65_536) }],
    ['too many values', Array.from({ length: 20_000 }, () => 1)],
    ['too many levels', JSON.parse('['.repeat(17) + ']'.repeat(17))],
    ['a number that others are read as', JSON.parse('{ "orders": [{ "id": 9007199254740993 }] }')],
    ['a number below all that are exact', -(2 ** 53)],
  ])('is refused for an input with %s', (_, input) => {
    const asked = { action: 'a', summary: 's', input }
    expect(() => parseApprovalRequest(asked)).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field: 'input' }),
    )
  })

  it.each<[string, Partial<ApprovalInput>]>([
    ['action', { action: ' ' }],
    ['action', { action: 'x'.repeat(101) }],
    ['summary', { summary: '' }],
    ['summary', { summary: 'x'.repeat(2_001) }],
  ])('is refused for a wrong %s', (field, change) => {
    const asked = { action: 'a', summary: 's', ...change }
    expect(() => parseApprovalRequest(asked)).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field }),
    )
  })

  it('may have every whole number that no other is read as', () => {
    const input = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0.1]
    expect(parseApprovalRequest({ action: 'a', summary: 's', input }).input).toEqual(input)
  })

  it('keeps what it was given, whatever happens to that afterwards', () => {
    const input = { order: 7, lines: [1] }
    const read = parseApprovalRequest({ action: 'a', summary: 's', input })
    input.lines.push(2)
    expect(read.input).toEqual({ order: 7, lines: [1] })
  })
})

describe('a call of a tool', () => {
  const call = { ...request, action: 'tool:refund' }
  const credential = { kind: 'credential', owner: 'ak_1', isSession: false } as const

  it('is asked for by a runtime alone', () => {
    requireOwnAction({ kind: 'runtime', owner: null, isSession: false }, call)
    for (const asker of [unknownAsker, credential, { ...credential, isSession: true }]) {
      requireOwnAction(asker, request)
      expect(() => requireOwnAction(asker, call)).toThrow(
        expect.objectContaining({ code: 'INVALID_FIELD', field: 'action' }),
      )
    }
  })
})

describe('a decision', () => {
  it('is made once, while the approval is pending', () => {
    const verdict = { decision: 'approved', comment: 'Go.', digest: null } as const
    const { approval } = decided(stored('pending'), verdict, person, NOW)
    expect(approval).toMatchObject({ state: 'approved', decidedBy: person, decidedAt: NOW, comment: 'Go.' })
    const conflict = expect.objectContaining({ code: 'CONFLICT' })
    for (const state of approvalStatuses.filter((status) => status !== 'pending')) {
      expect(() => decided(stored(state), verdict, person, NOW)).toThrow(conflict)
    }
    expect(() => decided(stored('pending'), verdict, person, EXPIRES)).toThrow(conflict)
  })

  it('is refused from agents, and from the credential that asked', () => {
    const verdict = { decision: 'approved', comment: null, digest: null } as const
    for (const actor of [worker, { kind: 'agent', id: 'agent_2' }, { kind: 'agent', id: null }] as const) {
      expect(() => decided(stored('pending'), verdict, actor, NOW)).toThrow(
        expect.objectContaining({ code: 'FORBIDDEN' }),
      )
    }
    const byHost = { ...stored('pending'), asker: unknownAsker }
    expect(decided(byHost, verdict, { kind: 'host', id: null }, NOW).approval.state).toBe('approved')
  })

  it('holds for the input that the decider saw', () => {
    const { inputDigest } = request
    const verdict = (digest: string | null) => ({ decision: 'approved', comment: null, digest }) as const
    for (const seen of [null, inputDigest, shortDigest(inputDigest)]) {
      expect(decided(stored('pending'), verdict(seen), person, NOW).approval.state).toBe('approved')
    }
    const other = parseApprovalRequest({ ...request, input: { order: 8 } }).inputDigest
    for (const seen of [other, shortDigest(other), '', inputDigest.slice(0, 12)]) {
      expect(() => decided(stored('pending'), verdict(seen), person, NOW)).toThrow(
        expect.objectContaining({
          code: 'CONFLICT',
          field: 'digest',
          message: expect.stringContaining(shortDigest(inputDigest)),
        }),
      )
    }
  })

  it('ends the hold for approval and no other one', () => {
    const commandOn = (on: Task) => {
      const verdict = { decision: 'rejected', comment: null, digest: null } as const
      return decided(stored('pending'), verdict, person, NOW, on).command
    }
    for (const reason of holdReasons) {
      const command = commandOn({ ...task, hold: { reason, message: null, since: NOW } })
      expect(command?.kind ?? null).toBe(reason === 'approval' ? 'release' : null)
    }
    expect(commandOn(task)).toBeNull()
  })

  it('is still possible right before the end', () => {
    expect(approvalAt(stored('pending'), EXPIRES - 1).status).toBe('pending')
    expect(approvalAt(stored('pending'), EXPIRES).status).toBe('expired')
    expect(approvalAt(stored('approved'), EXPIRES).status).toBe('approved')
  })
})

/** Numbers that are refused as text, and no member `__proto__`. */
function withoutRefused(value: unknown): unknown {
  const text = JSON.stringify(value, (name, inner: unknown) => {
    if (name === '__proto__') return undefined
    return typeof inner === 'number' && Math.abs(inner) > Number.MAX_SAFE_INTEGER ? String(inner) : inner
  })
  return JSON.parse(text)
}

/** The members in the order of their names, at every level. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([k, v]) => [`_${k}`, v]),
        )
      : inner,
  )
}
