import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claimed, withBots, type BotBoard } from '../../test/bot-board.js'
import { linkedInSlack, slackPerson, URL_OF_BOT } from '../../test/slack-person.js'
import { slackServer, type SlackPost, type SlackServer } from '../../test/slack-server.js'
import { slackBot } from './slack-bot.js'

let server: SlackServer
beforeEach(async () => {
  server = await slackServer()
})
afterEach(() => server.close())

const SECONDS = { seconds: 2 }

const withSlack = (work: (board: BotBoard) => Promise<void>) =>
  withBots(
    [slackBot({ signingSecret: server.signingSecret, botToken: server.botToken, apiUrl: server.url })],
    work,
  )

const lastOf = (channel: string): SlackPost => {
  const found = server.posts.findLast((post) => post.channel === channel)
  if (found === undefined) throw new Error(`nothing in ${channel}`)
  return found
}
const cardOf = (title: string): SlackPost => {
  const found = server.posts.findLast(({ text, only }) => only === null && text.includes(title))
  if (found === undefined) throw new Error(`no card of ${title}`)
  return found
}

const linked = (board: BotBoard) => linkedInSlack(server, board)

describe('a request of Slack', () => {
  it('is refused without the signature of this very body within five minutes, and Slack’s challenge is answered', () =>
    withSlack(async ({ handle, clock }) => {
      const body = JSON.stringify({ type: 'url_verification', challenge: 'abc' })
      const send = async (init: RequestInit) => handle(new Request(URL_OF_BOT, init))
      const signed = (at: number, headers = {}) => server.signed(body, 'application/json', at, headers)
      expect(await (await send(signed(clock.now()))).text()).toBe('abc')
      expect((await send(signed(clock.now() - 299_000))).status).toBe(200)
      expect((await send(signed(clock.now() - 302_000))).status).toBe(401)
      expect((await send(signed(clock.now() + 302_000))).status).toBe(401)
      expect((await send({ ...signed(clock.now()), body: `${body} ` })).status).toBe(401)
      expect((await send(signed(clock.now(), { 'x-slack-signature': 'v0=00' }))).status).toBe(401)
      expect((await send({ method: 'POST', body })).status).toBe(401)
    }))
})

describe('a task of Slack', () => {
  it('by command is worked on, its one message is edited, and a reply in the thread answers', () =>
    withSlack(async (board) => {
      const person = await linked(board)
      expect(await person.command('Book a &lt;big&gt; room, urgent')).toBe('')
      const card = cardOf('Book a <big> room')
      expect(card.text).toContain('urgent')
      const { id, fencingToken } = await claimed(board)
      await board.taskboard.board(board.workspaceId).ask(id, { fencingToken, question: 'For how many?' })
      await board.clock.advance(SECONDS)
      expect(cardOf('Book a').text).toContain('For how many?')
      const reply = {
        channel: 'C1',
        channel_type: 'channel',
        text: 'For twelve',
        ts: '9.9',
        thread_ts: card.ts,
      }
      await person.event(reply, 'Ev1')
      await person.event(reply, 'Ev1', { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' })
      const { comments } = await board.taskboard.board(board.workspaceId).comments(id)
      expect(comments.map(({ kind, body }) => [kind, body])).toEqual([
        ['question', 'For how many?'],
        ['answer', 'For twelve'],
      ])
      const again = await claimed(board)
      await board.taskboard
        .board(board.workspaceId)
        .complete(id, { fencingToken: again.fencingToken, result: 'Room 4' })
      await board.clock.advance(SECONDS)
      expect(cardOf('Book a').text).toContain('Room 4')
      expect(server.posts.filter(({ ts }) => ts === card.ts)).toHaveLength(1)
      await person.event({ channel: 'C1', channel_type: 'channel', text: 'just talking', ts: '9.91' }, 'Ev2')
      expect((await board.taskboard.board(board.workspaceId).list('TODO')).tasks).toEqual([])
    }))

  it('by direct message is made once, however often Slack sends the event', () =>
    withSlack(async (board) => {
      const person = await linked(board)
      const event = {
        channel: 'DU1',
        channel_type: 'im',
        text: 'Compare <https://a.example/x|a.example/x> &amp; <@U2>',
        ts: '3.3',
      }
      await Promise.all([
        person.event(event, 'Ev7'),
        person.event(event, 'Ev7', { 'x-slack-retry-num': '1' }),
      ])
      const { tasks } = await board.taskboard.board(board.workspaceId).list('TODO')
      expect(tasks.map(({ title }) => title)).toEqual(['Compare a.example/x & @U2'])
    }))

  it('is approved by a linked person, once, and by nobody else', () =>
    withSlack(async (board) => {
      const person = await linked(board)
      await person.command('Refund order 7')
      const { id, fencingToken } = await claimed(board)
      const request = { fencingToken, action: 'refund', summary: 'Refund order 7', input: { order: 7 } }
      await board.taskboard.board(board.workspaceId).requestApproval(id, request)
      await board.clock.advance(SECONDS)
      const asked = cardOf('"order": 7')
      await slackPerson(server, board, 'U9').press(asked, 'Approve')
      expect(lastOf('C1')).toMatchObject({ only: 'U9' })
      expect(lastOf('C1').text).toContain('not linked')
      await person.press(asked, 'Approve', '5.5')
      await person.press(asked, 'Approve', '5.5')
      expect(lastOf('C1').text).toContain('out of date')
      await person.press(asked, 'Reject')
      const [approval] = (await board.taskboard.board(board.workspaceId).approvals(id)).approvals
      expect([approval?.status, approval?.decidedBy?.id]).toEqual(['approved', 'ada'])
    }))
})

describe('what Slack refuses', () => {
  it('is waited for, given up, or disables the conversation', () =>
    withSlack(async (board) => {
      const person = await linked(board)
      server.faults.push({ method: 'chat.postMessage', retryAfter: 120 })
      await person.command('Later')
      expect(server.posts.some(({ text }) => text.includes('Later'))).toBe(false)
      await board.clock.advance({ seconds: 121 })
      expect(cardOf('Later').channel).toBe('C1')
      const alerts: string[] = []
      board.taskboard.events.on('agent.alert', ({ data }) => alerts.push(data.message))
      server.faults.push({ method: 'chat.update', error: 'is_archived' })
      await claimed(board)
      await board.clock.advance(SECONDS)
      expect(alerts).toEqual([
        'the bot of Slack may not write in a conversation any more: “ops” gets no more messages',
      ])
    }))
})
