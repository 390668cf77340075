import assert from 'node:assert/strict'
import type { DirectMessage, NotificationType } from '@taskboard/core'
import { makeUser } from './login-session.js'
import { suiteChannelType } from './suite-channel-type.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session } from './v2-session.js'

/** The messages to people, from all cases that are running. */
const sent: DirectMessage[] = []

const messenger: NotificationType = {
  ...suiteChannelType,
  name: 'messenger',
  parseConfig: (config) => config,
  deliver: () => Promise.resolve(),
  direct({ person, ...message }) {
    if (person.email === null) return Promise.resolve(false)
    sent.push({ person, ...message })
    return Promise.resolve(true)
  },
}

/** A claimed task. */
async function claimed({ taskboard, workspaceId }: V2Session) {
  const { id: agentId } = await taskboard.agents.create(workspaceId, { name: 'Outside', type: 'outside' })
  const board = taskboard.board(workspaceId)
  const { id } = await board.add({ title: 'Refund order 7', assignedTo: agentId })
  const task = await board.claim({ agentId, taskId: id })
  return { board, id, fencingToken: task?.fencingToken ?? 0 }
}

/** Sends a link to Ada, checks the answer, and returns what the link shows. */
async function sendTo(session: V2Session, path: string, userId: string) {
  const { send, taskboard, workspaceId } = session
  const answer = await send('POST', path, { body: { user_id: userId } })
  const { user_id: to, ...rest } = assertAnswer(answer, 202)
  assert.equal(to, userId)
  assert.deepEqual(Object.keys(rest), ['expires_at'])
  const message = sent.findLast((each) => each.workspaceId === workspaceId)
  assert.deepEqual(message?.person, { id: userId, email: 'ada@example.com' })
  const token = message?.url.split('/').at(-1) ?? ''
  assert.match(token, /^[\w-]{22}$/)
  assert.ok(!answer.text.includes(token))
  return taskboard.services.links.open(token, { clientAddress: '192.0.2.1', requestId: null })
}

/** Links that decide as one person. */
export const linkCases: readonly V2Check[] = [
  {
    id: 'links.sent',
    name: 'a link goes to the verified address of its person alone, and no answer has it',
    options: { publicUrl: 'https://app.example', notifications: [suiteChannelType, messenger] },
    async check(session) {
      const { taskboard, stranger, send } = session
      const { id: userId } = await makeUser(session)
      const { board, id, fencingToken } = await claimed(session)
      const asked = { fencingToken, action: 'refund', summary: 'Refund', input: { order: 7 } }
      const { approval } = await board.requestApproval(id, asked)
      const path = `/v2/approvals/${approval.id}/links`
      const unverified = await send('POST', path, { body: { user_id: userId } })
      assertError(unverified, 409, 'CONFLICT')
      await taskboard.accounts.setEmailVerified(userId, true)
      const shown = await sendTo(session, path, userId)
      assert.equal(shown?.state, 'open')
      assert.equal(shown?.request?.approval?.id, approval.id)
      const [theirs] = await taskboard.accounts.listUsers(stranger.accountId)
      for (const unknown of [theirs?.id ?? '', 'user_unknown'])
        assertError(await send('POST', path, { body: { user_id: unknown } }), 404, 'RESOURCE_NOT_FOUND')
    },
  },
  {
    id: 'links.question',
    name: 'a link answers the question of a task, and there is none without one',
    options: { publicUrl: 'https://app.example', notifications: [suiteChannelType, messenger] },
    async check(session) {
      const { taskboard, send } = session
      const { id: userId } = await makeUser(session)
      await taskboard.accounts.setEmailVerified(userId, true)
      const { board, id, fencingToken } = await claimed(session)
      const path = `/v2/tasks/${id}/answer/links`
      assertError(await send('POST', path, { body: { user_id: userId } }), 409, 'CONFLICT')
      await board.ask(id, { fencingToken, question: 'All of it?' })
      const shown = await sendTo(session, path, userId)
      assert.equal(shown?.request?.question?.body, 'All of it?')
    },
  },
]
