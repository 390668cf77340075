import { telegramServer, type TelegramServer } from '@taskboard/kit/messengers/telegram-server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claimed, withBots, type BotBoard } from '../../test/bot-board.js'
import { linked, telegramPerson } from '../../test/telegram-person.js'
import { telegramBot } from './telegram-bot.js'

let server: TelegramServer
beforeEach(async () => {
  server = await telegramServer()
})
afterEach(() => server.close())

const bot = () => telegramBot({ token: server.token, apiUrl: server.url, pollSeconds: 0 })
const webhookBot = () => telegramBot({ token: server.token, apiUrl: server.url, secretToken: 'a-secret' })
const withTelegram = (work: (board: BotBoard) => Promise<void>) => withBots([bot()], work)
/** For what takes days, in which a bot that polls would ask every second. */
const withWebhook = (work: (board: BotBoard) => Promise<void>) =>
  withBots([webhookBot()], async (board) => {
    await board.clock.advance({ seconds: 1 })
    await work(board)
  })

const boardOf = ({ taskboard, workspaceId }: BotBoard) => taskboard.board(workspaceId)

const SECONDS = { seconds: 2 }

describe('linking', () => {
  it('asks before it links an account with a code, and each code works once', () =>
    withTelegram(async (board) => {
      const person = telegramPerson(server, board, 7)
      await person.write('Compare the offers')
      expect(person.last().text).toContain('not linked')
      const code = await board.codeFor(board.ada)
      await person.write(`/start ${code}`)
      expect(person.last().text).toContain('Link this account to ada of Acme?')
      const offer = person.last()
      await person.press(offer, 'Link')
      expect(server.alerts.at(-1)).toBe('Linked to ada. You now write here as that user.')
      await person.press(offer, 'Link')
      expect(server.alerts.at(-1)).toContain('expired, or was used')
      await person.write(`/task connect ${code}`)
      expect(person.last().text).toContain('not valid')
      const links = await board.taskboard.services.bots.links.list(board.ada)
      expect(links.map(({ bot: name, externalId }) => [name, externalId])).toEqual([['telegram', '7']])
    }))

  it('locks a messenger account for an hour after five wrong codes', () =>
    withTelegram(async (board) => {
      const person = telegramPerson(server, board, 7)
      for (let number = 0; number < 5; number += 1) {
        await person.write(`/start aaaa-aaaa-aaa${number}`)
        expect(person.last().text).toContain('not valid')
      }
      await person.write(`/start ${await board.codeFor(board.ada)}`)
      expect(person.last().text).toContain('for an hour')
      await board.clock.advance({ minutes: 61 })
      await person.write(`/start ${await board.codeFor(board.ada)}`)
      expect(person.last().text).toContain('Link this account')
    }))

  it('ends with the next message when a link, a person or a scope goes', () =>
    withTelegram(async (board) => {
      const person = await linked(server, board, 7)
      board.addPerson('ada', { scopes: ['tasks:read'] })
      await person.write('A task without the scope')
      expect(person.last().text).toContain('lacks the scope tasks:write')
      board.people.delete('ada')
      await person.write('A task of nobody')
      expect(person.last().text).toContain('not linked')
      const ada = board.addPerson('ada')
      const { links } = board.taskboard.services.bots
      const [link] = await links.list(ada)
      await links.unlink(ada, link?.id ?? '', {})
      await person.write('A task of a stranger')
      expect(person.last().text).toContain('not linked')
      expect((await boardOf(board).list('TODO')).tasks).toEqual([])
    }))
})

describe('a task', () => {
  it('by message is worked on by an agent, and its one message is edited until it is done', () =>
    withTelegram(async (board) => {
      const person = await linked(server, board, 7)
      await person.write('Compare the offers, again, high, due tomorrow 17:00, #sales')
      const card = () => person.card('Compare the offers, again')
      expect(card().text).toMatch(
        /To do\nCompare the offers, again #\w{6}\nhigh · due Tue,? 6 Jan 2026,? 17:00 · #sales/,
      )
      const [task] = (await boardOf(board).list('TODO')).tasks
      expect(task?.dueDate).toBe(Date.UTC(2026, 0, 6, 16))
      const { messageId } = card()
      const claim = await claimed(board)
      await board.clock.advance(SECONDS)
      expect(card().text).toContain('In progress')
      await boardOf(board).progress(claim.id, { fencingToken: claim.fencingToken, progress: 50 })
      await board.clock.advance(SECONDS)
      expect(card().text).toContain('50%')
      await boardOf(board).complete(claim.id, { fencingToken: claim.fencingToken, result: 'The second one' })
      await board.clock.advance(SECONDS)
      expect(card().text).toContain('Done')
      expect(card().text).toContain('The second one')
      expect(card().messageId).toBe(messageId)
      expect(server.messages(7).filter(({ text }) => text.includes('Compare'))).toHaveLength(1)
    }))

  it('by command in a group goes to the workspace that the group is connected with', () =>
    withTelegram(async (board) => {
      const group = -1_001_234
      const person = await linked(server, board, 7)
      await person.write('/task Before it is connected', { chatId: group })
      expect(person.last(group).text).toContain('not connected')
      const second = await board.taskboard.accounts.createWorkspace(board.accountId, { name: 'Operations' })
      await person.write('/task@a_bot connect Operations', { chatId: group })
      expect(person.last(group).text).toContain('go to Operations')
      await person.write('just talking', { chatId: group })
      await person.write('/task Restart the press', { chatId: group })
      expect((await board.taskboard.board(second.id).list('TODO')).tasks.map(({ title }) => title)).toEqual([
        'Restart the press',
      ])
      expect(person.card('Restart the press', group).replyTo).not.toBeNull()
      await person.write('/task list', { chatId: group })
      expect(person.last(group).text).toContain('Restart the press')
    }))

  it('can be taken back for thirty seconds', () =>
    withTelegram(async (board) => {
      const person = await linked(server, board, 7)
      await person.write('A mistake')
      const card = person.card('A mistake')
      await board.clock.advance({ seconds: 31 })
      await person.press(card, 'Undo')
      expect(server.alerts.at(-1)).toContain('out of date')
      expect(person.card('A mistake').buttons).toEqual({})
      await person.write('Another mistake')
      await person.press(person.card('Another mistake'), 'Undo')
      await board.clock.advance(SECONDS)
      expect(person.last().text).toBe('🗑️ Deleted')
      expect((await boardOf(board).list('TODO')).tasks.map(({ title }) => title)).toEqual(['A mistake'])
    }))

  it('is made once from an update that is sent twice, and out of order', () =>
    withTelegram(async (board) => {
      const person = await linked(server, board, 7)
      await person.write('Once')
      const chat = { id: 7, type: 'private', first_name: 'Ada' }
      const update = (id: number, text: string) => ({
        update_id: id,
        message: { message_id: id, date: 0, from: { id: 7, is_bot: false, first_name: 'Ada' }, chat, text },
      })
      for (const again of [update(900, 'Later'), update(899, 'Earlier'), update(900, 'Later')])
        server.push(again)
      await board.clock.advance(SECONDS)
      await board.clock.advance(SECONDS)
      const titles = (await boardOf(board).list('TODO')).tasks.map(({ title }) => title)
      expect(titles.toSorted()).toEqual(['Earlier', 'Later', 'Once'])
    }))
})

describe('questions and approvals', () => {
  it('take the reply to a card as the answer, and another reply as a comment', () =>
    withTelegram(async (board) => {
      const person = await linked(server, board, 7)
      await person.write('Book a room')
      const { id, fencingToken } = await claimed(board)
      await boardOf(board).ask(id, { fencingToken, question: 'For how many?' })
      await board.clock.advance(SECONDS)
      const card = person.card('Book a room')
      expect(card.text).toContain('For how many?')
      await person.write('For twelve', { replyTo: card.messageId })
      await person.write('With a screen', { replyTo: card.messageId })
      const { comments } = await boardOf(board).comments(id)
      expect(comments.map(({ kind, body, author }) => [kind, body, author.id])).toEqual([
        ['question', 'For how many?', comments[0]?.author.id],
        ['answer', 'For twelve', 'ada'],
        ['comment', 'With a screen', 'ada'],
      ])
    }))

  async function withApproval(board: BotBoard) {
    const person = await linked(server, board, 7)
    await person.write('Refund order 7')
    const { id, fencingToken } = await claimed(board)
    const request = {
      fencingToken,
      action: 'refund',
      summary: 'Refund order 7',
      input: { order: 7, cents: 1_900 },
    }
    await boardOf(board).requestApproval(id, request)
    await board.clock.advance(SECONDS)
    const status = async () => (await boardOf(board).approvals(id)).approvals[0]?.status
    return { person, id, status, card: () => person.card('Refund order 7') }
  }

  it('show the exact input, decide once as that person, and say who decided', () =>
    withTelegram(async (board) => {
      const { person, id, status, card } = await withApproval(board)
      const asked = card()
      expect(asked.text).toContain('"cents": 1900')
      expect(asked.text).toMatch(/digest [0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}/)
      await person.press(asked, 'Approve')
      expect(server.alerts.at(-1)).toBe('You approved it.')
      const [approval] = (await boardOf(board).approvals(id)).approvals
      expect([approval?.status, approval?.decidedBy?.id]).toEqual(['approved', 'ada'])
      expect(card().text).toContain('refund was approved by ada')
      await person.press(asked, 'Reject')
      expect(await status()).toBe('approved')
      const { records } = await board.taskboard.audit.list(board.accountId, { actions: ['approval.decided'] })
      expect(records.map(({ by }) => [by.kind, by.id])).toEqual([['user', 'ada']])
    }))

  it('are not decided by eight presses that must do nothing', () =>
    withWebhook(async (board) => {
      const { person, status, card } = await withApproval(board)
      const asked = card()
      const stranger = telegramPerson(server, board, 8, 'Eve')
      const says = async (press: Promise<void>, text: string) => {
        await press
        expect(server.alerts.at(-1)).toContain(text)
        expect(await status()).toBe('pending')
      }
      const token = asked.buttons['Approve'] ?? ''
      await says(stranger.press(asked, 'Approve'), 'not linked')
      board.addPerson('bob', { scopes: ['tasks:read', 'tasks:write'] })
      const bob = await linked(server, board, 9, board.people.get('bob'))
      await says(bob.press(asked, 'Approve'), 'lacks the scope')
      board.addPerson('mallory', { accountId: 'acct_other', scopes: board.ada.scopes })
      await says(person.pressToken(token.replace(/\.a$/, '.u'), asked), 'out of date')
      await says(person.pressToken(token.replace(/\.[\w-]{11}\./, '.AAAAAAAAAAA.'), asked), 'out of date')
      await says(person.pressToken('a forged callback', asked), 'does nothing')
      await says(person.pressToken(token, { chatId: '9', messageId: asked.messageId }), 'does nothing')
      const other = { ...asked, messageId: asked.messageId + 1_000 }
      await says(person.pressToken(token, other), 'replaced by a newer one')
      await board.clock.advance({ days: 8 })
      await person.press(asked, 'Approve')
      expect(await status()).toBe('expired')
    }))

  it('of another input are not decided by the buttons of the one before', () =>
    withTelegram(async (board) => {
      const { person, id, status, card } = await withApproval(board)
      const old = card()
      await boardOf(board).release(id)
      const { fencingToken } = await claimed(board)
      const request = { fencingToken, action: 'refund', summary: 'Refund order 8', input: { order: 8 } }
      await boardOf(board).requestApproval(id, request)
      await board.clock.advance(SECONDS)
      await person.press(old, 'Approve')
      expect(server.alerts.at(-1)).toContain('out of date')
      expect(await status()).toBe('pending')
      await person.press(card(), 'Reject')
      expect(await status()).toBe('rejected')
    }))
})

describe('delivery', () => {
  it('counts an edit that changes nothing as done', () =>
    withTelegram(async (board) => {
      const person = await linked(server, board, 7)
      await person.write('Stay as it is')
      const [task] = (await boardOf(board).list('TODO')).tasks
      const description =
        'Bad Request: message is not modified: specified new message content is exactly the same'
      server.faults.push({ method: 'editMessageText', code: 400, description })
      await boardOf(board).move(task?.id ?? '', 'DOING')
      await board.clock.advance(SECONDS)
      const edits = server.calls.get('editMessageText')
      await board.clock.advance({ minutes: 5 })
      expect(server.calls.get('editMessageText')).toBe(edits)
      expect(board.seen).toEqual([])
    }))

  it('waits as long as Telegram wants, for a day of 429s, and then shows the newest state alone', () =>
    withWebhook(async (board) => {
      const person = await linked(server, board, 7)
      await person.write('Patience')
      const { id, fencingToken } = await claimed(board)
      const wait = {
        method: 'editMessageText',
        code: 429,
        description: 'Too Many Requests: retry after 3600',
        retryAfter: 3_600,
      }
      for (let hour = 0; hour < 24; hour += 1) server.faults.push({ ...wait })
      await board.clock.advance(SECONDS)
      await boardOf(board).complete(id, { fencingToken, result: 'Worth it' })
      const before = server.calls.get('editMessageText') ?? 0
      await board.clock.advance({ hours: 22, minutes: 30 })
      expect(person.card('Patience').text).toContain('To do')
      await board.clock.advance({ hours: 2 })
      expect(person.card('Patience').text).toContain('Worth it')
      expect((server.calls.get('editMessageText') ?? 0) - before).toBeLessThanOrEqual(25)
    }))

  it('disables a conversation that the bot was removed from, with an alert', () =>
    withTelegram(async (board) => {
      const group = -1_001_234
      const person = await linked(server, board, 7)
      const { workspace } = { workspace: (await board.taskboard.accounts.listWorkspaces(board.accountId))[0] }
      await person.write(`/task connect ${workspace?.name ?? ''}`, { chatId: group })
      await person.write('/task Left behind', { chatId: group })
      const alerts: string[] = []
      board.taskboard.events.on('agent.alert', ({ data }) => alerts.push(data.message))
      server.faults.push({
        method: 'editMessageText',
        code: 403,
        description: 'Forbidden: bot was kicked from the supergroup chat',
      })
      await claimed(board)
      await board.clock.advance(SECONDS)
      expect(alerts).toEqual([
        'the bot of Telegram may not write in a conversation any more: “Operations” gets no more messages',
      ])
      const [conversation] = await board.taskboard.services.bots.links.conversations(board.ada)
      expect(conversation?.failure).toContain('may not write')
    }))

  it('posts a second card when the answer to the first was lost, and the first one leads to it', () =>
    withTelegram(async (board) => {
      const person = await linked(server, board, 7)
      server.faults.push({ method: 'sendMessage', cut: true })
      await person.write('Twice')
      await board.clock.advance({ seconds: 5 })
      const [first, second] = server.messages(7).filter(({ text }) => text.includes('Twice'))
      expect((await boardOf(board).list('TODO')).tasks).toHaveLength(1)
      if (first === undefined || second === undefined) throw new Error('there are no two cards')
      await person.press(first, 'Undo')
      expect(server.alerts.at(-1)).toContain('replaced by a newer one')
      const shown = server.messages(7).find(({ messageId }) => messageId === first.messageId)
      expect(shown?.text).toContain('No longer updated here')
      await person.write(`/task status ${/#\w{6}/.exec(second.text)?.[0] ?? ''}`)
      await board.clock.advance(SECONDS)
      const older = server.messages(7).find(({ messageId }) => messageId === second.messageId)
      expect(older?.text).toContain('No longer updated here')
    }))
})

describe('the webhook of Telegram', () => {
  const update = {
    update_id: 1,
    message: {
      message_id: 1,
      date: 0,
      from: { id: 7, is_bot: false, first_name: 'Ada' },
      chat: { id: 7, type: 'private' },
      text: 'hello',
    },
  }
  const post = (handle: BotBoard['handle'], headers: Record<string, string>, body = JSON.stringify(update)) =>
    handle(new Request('https://app.example/bots/telegram', { method: 'POST', body, headers }))

  it('is set to the public address, and takes what has the secret token alone', () =>
    withBots([webhookBot()], async ({ handle, clock }) => {
      await clock.advance(SECONDS)
      expect(server.webhook).toEqual({ url: 'https://app.example/bots/telegram', secretToken: 'a-secret' })
      expect((await post(handle, {})).status).toBe(401)
      expect((await post(handle, { 'x-telegram-bot-api-secret-token': 'a-secre' })).status).toBe(401)
      const right = { 'x-telegram-bot-api-secret-token': 'a-secret' }
      expect((await post(handle, right, 'no update')).status).toBe(400)
      expect((await post(handle, right, 'x'.repeat(65_537))).status).toBe(413)
      expect((await post(handle, right)).status).toBe(200)
      expect(server.messages(7).at(-1)?.text).toContain('not linked')
    }))
})
