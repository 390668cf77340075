import { describe, expect, it } from 'vitest'
import { isTaskboardError } from '../errors/index.js'
import { outcomeOfDecision, parseApprovalRequest, type StoredApproval } from './approval.js'
import { askerOf, unknownAsker, type Asked } from './asker.js'
import { outcomeOfComment, whoSaid } from './comment.js'
import { createTask, parseNewTask, type ActingAs, type Actor, type Task } from './task.js'

const NOW = 1_000_000
const HOST: Actor = { kind: 'host', id: null }
const RUN: Actor = { kind: 'agent', id: 'agent_1' }

/** Of whom a credential is: of the one who asked, of somebody else, or of nobody. */
type Owner = 'same' | 'other' | 'none'
type Caller = 'key' | 'session' | 'principal of the host' | 'host' | 'agent'

/** The principal of a host's login may have any id; it is a person all the same. */
function callerOf(caller: Caller, owner: Owner, number: number): ActingAs {
  const user = owner === 'same' ? 'user_ada' : 'user_bob'
  switch (caller) {
    case 'key':
      return { kind: 'api_key', id: `ak_${number}`, owner: owner === 'none' ? null : user }
    case 'session':
    case 'principal of the host':
      return { kind: 'user', id: owner === 'none' ? null : user, name: caller }
    case 'host':
      return HOST
    case 'agent':
      return RUN
  }
}

const asking = ['runtime', 'host', 'key', 'session'] as const
const responding = ['key', 'session', 'principal of the host', 'host', 'agent'] as const
const owners = ['same', 'other', 'none'] as const

/** One combination. The asker is Ada, by a key or a session, or a key of nobody; the owner is that of who responds, seen from Ada. */
interface Combination {
  readonly asker: (typeof asking)[number]
  readonly isOwnerKnown: boolean
  readonly responder: Caller
  readonly owner: Owner
  readonly request: boolean
  readonly account: boolean
}

function* combinations(): Generator<Combination> {
  for (const asker of asking)
    for (const isOwnerKnown of asker === 'key' ? [true, false] : [true])
      for (const responder of responding)
        for (const owner of responder === 'host' || responder === 'agent' ? (['none'] as const) : owners)
          for (const request of [false, true])
            for (const account of [false, true])
              yield { asker, isOwnerKnown, responder, owner, request, account }
}

type Fact = (of: Combination) => boolean

/** The rules in their own words, each a sentence, to whom it applies, and who may respond. The first one that applies holds. */
const rules: readonly (readonly [sentence: string, applies: Fact, may: Fact])[] = [
  ['No agent responds.', ({ responder }) => responder === 'agent', no],
  [
    'Another person than a runtime or the host is any person, and no key.',
    (of) => isStrict(of) && isOfNobody(of),
    isPerson,
  ],
  ['Another person than the one who asked is another owner.', isStrict, (of) => isKnown(of) && !isSame(of)],
  ['A key never responds to what a credential of its owner asked.', (of) => isKey(of) && isSame(of), no],
  [
    'What a session itself asked, no credential of its owner responds to.',
    (of) => of.asker === 'session' && isSame(of),
    no,
  ],
  ['A person responds to what their own keys asked.', (of) => of.asker === 'key' && isSame(of), yes],
  ['Everybody responds to everything else.', yes, yes],
]

function yes(): boolean {
  return true
}

function no(): boolean {
  return false
}

function isStrict({ request, account }: Combination): boolean {
  return request || account
}

function isOfNobody({ asker }: Combination): boolean {
  return asker === 'runtime' || asker === 'host'
}

function isKey({ responder }: Combination): boolean {
  return responder === 'key'
}

function isPerson({ responder }: Combination): boolean {
  return responder === 'session' || responder === 'principal of the host'
}

/** Whose the asker is, by name. A key without an owner is one owner by itself. */
function askerName(of: Combination): string | null {
  if (isOfNobody(of)) return null
  return of.isOwnerKnown ? 'Ada' : 'the key that asked'
}

function responderName(of: Combination): string | null {
  if (of.owner !== 'none') return of.owner === 'same' ? 'Ada' : 'Bob'
  return isKey(of) ? 'the key that responds' : null
}

function isKnown(of: Combination): boolean {
  return responderName(of) !== null
}

function isSame(of: Combination): boolean {
  return isKnown(of) && askerName(of) === responderName(of)
}

const task = createTask(parseNewTask({ title: 'a task' }, 'ws_1', 3), {
  id: 't',
  now: NOW,
  openDependencies: 0,
})
const waiting: Task = { ...task, hold: { reason: 'needs_input', message: 'Which?', since: NOW } }

function askedBy({ asker, isOwnerKnown, request }: Combination): Asked {
  if (asker === 'runtime') return { asker: askerOf(RUN, RUN), requireOtherPerson: request }
  const by = callerOf(asker, isOwnerKnown ? 'same' : 'none', 1)
  return { asker: askerOf(HOST, by), requireOtherPerson: request }
}

function decide(asked: Asked, decidedBy: ActingAs, requireOtherPerson: boolean): void {
  const stored: StoredApproval = {
    ...parseApprovalRequest({ action: 'refund', summary: 'Refund order 7' }),
    ...asked,
    id: 'apr_1',
    workspaceId: 'ws_1',
    taskId: 't',
    agentId: 'agent_1',
    fencingToken: 1,
    requestedBy: HOST,
    state: 'pending',
    requestedAt: NOW,
    expiresAt: NOW + 1,
    decidedBy: null,
    decidedAt: null,
    comment: null,
    usedAt: null,
  }
  const verdict = { decision: 'approved', comment: null, digest: null } as const
  const { approval } = outcomeOfDecision(task, stored, { ...verdict, decidedBy, requireOtherPerson }, NOW)
  expect(approval.state).toBe('approved')
}

function answer(asked: Asked | null, author: ActingAs, requireOtherPerson: boolean): void {
  const draft = { kind: 'answer', body: 'That one.', author } as const
  const { command } = outcomeOfComment(waiting, draft, { id: 'cmt_1', asked, requireOtherPerson })
  expect(command).toEqual({ kind: 'release', actor: author })
}

/** Whether it was refused as forbidden. */
function isRefused(respond: () => void): boolean {
  try {
    respond()
    return false
  } catch (error) {
    if (isTaskboardError(error) && error.code === 'FORBIDDEN') return true
    throw error
  }
}

describe('who responds to what was asked', () => {
  it('is the same for approvals and questions, and for every combination as the rules say', () => {
    const used = new Set<string>()
    let count = 0
    for (const of of combinations()) {
      const [asked, by] = [askedBy(of), callerOf(of.responder, of.owner, 2)]
      const rule = rules.find(([, applies]) => applies(of))
      const expected = { ...of, may: rule?.[2](of) }
      expect({ ...of, may: !isRefused(() => decide(asked, by, of.account)) }).toEqual(expected)
      expect({ ...of, may: !isRefused(() => answer(asked, by, of.account)) }).toEqual(expected)
      used.add(rule?.[0] ?? '')
      count += 1
    }
    expect([...used].toSorted()).toEqual(rules.map(([sentence]) => sentence).toSorted())
    expect(count).toBe(5 * 11 * 4)
  })

  it('is not the key that asked itself, when nobody is known to have made it', () => {
    const by: ActingAs = { kind: 'api_key', id: 'ak_1' }
    const asked = { asker: askerOf(HOST, by), requireOtherPerson: false }
    for (const owner of [null, undefined]) {
      expect(isRefused(() => decide(asked, { ...by, owner }, false))).toBe(true)
      expect(isRefused(() => answer(asked, { ...by, owner }, false))).toBe(true)
    }
  })

  it('is anybody but an agent when the host put the task on hold without a question', () => {
    for (const by of [HOST, callerOf('key', 'none', 1), callerOf('session', 'same', 1)]) {
      expect(isRefused(() => answer(null, by, false))).toBe(false)
      expect(isRefused(() => answer(null, by, true))).toBe(by.kind !== 'user')
    }
    expect(isRefused(() => answer(null, RUN, false))).toBe(true)
  })
})

describe('the asker', () => {
  const person: ActingAs = { kind: 'user', id: 'user_1', owner: 'user_2' }
  const worker: ActingAs = { kind: 'api_key', id: 'ak_1' }

  it('is what the board was made for, whatever actor is named', () => {
    for (const by of [RUN, HOST, person, worker]) {
      expect(askerOf(RUN, by)).toEqual({ kind: 'runtime', owner: null, isSession: false })
    }
    for (const by of [HOST, RUN, { kind: 'user', id: null }, { kind: 'system', id: null }] as const) {
      expect(askerOf(HOST, by)).toEqual(unknownAsker)
    }
  })

  it('is the owner of a key, the key without one, and a person themselves', () => {
    const credential = { kind: 'credential', isSession: false }
    expect(askerOf(HOST, worker)).toEqual({ ...credential, owner: 'ak_1' })
    expect(askerOf(HOST, { ...worker, owner: 'user_1' })).toEqual({ ...credential, owner: 'user_1' })
    expect(askerOf(HOST, person)).toEqual({ ...credential, owner: 'user_1', isSession: true })
  })
})

describe('who said something', () => {
  it('is a person by their name, and a key as a key', () => {
    const answerOf = (author: Parameters<typeof whoSaid>[0]['author']) => whoSaid({ kind: 'answer', author })
    expect(answerOf({ kind: 'user', id: 'ada', name: 'Ada' })).toBe('the answer of Ada')
    expect(answerOf({ kind: 'user', id: 'ada', name: null })).toBe('the answer of ada')
    expect(answerOf({ kind: 'user', id: null, name: null })).toBe('the answer of a person')
    expect(answerOf({ kind: 'api_key', id: 'ak_1', name: 'Ada' })).toBe('the answer by a key (Ada)')
    expect(answerOf({ kind: 'host', id: null, name: null })).toBe('the answer by the host')
    const decision = { kind: 'decision', author: { kind: 'agent', id: 'agent_1', name: 'a' } } as const
    expect(whoSaid(decision)).toBe('the decision by an agent (a)')
  })
})
