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

const withTelegram = (work: (board: BotBoard) => Promise<void>) =>
  withBots([telegramBot({ token: server.token, apiUrl: server.url, pollSeconds: 0 })], work)

const SECONDS = { seconds: 2 }
const GROUP = -1_001_234
const boardOf = ({ taskboard, workspaceId }: BotBoard) => taskboard.board(workspaceId)

/** A card that asks for an approval. */
async function withApproval(board: BotBoard, summary = 'Refund order 7') {
  const person = await linked(server, board, 7)
  await person.write('Refund order 7')
  const { id, fencingToken } = await claimed(board)
  const request = { fencingToken, action: 'refund', summary, input: { to: 'ada\u202E\u200Beve' } }
  await boardOf(board).requestApproval(id, request)
  await board.clock.advance(SECONDS)
  return { person, id, card: person.card('Refund order 7') }
}

describe('an update', () => {
  it('whose response Telegram rejects, or wants to have later, holds up nobody', () =>
    withTelegram(async (board) => {
      const person = await linked(server, board, 7)
      const eve = telegramPerson(server, board, 8, 'Eve')
      const rejected = { method: 'sendMessage', code: 400, description: 'Bad Request: not enough rights' }
      const busy = { method: 'sendMessage', code: 429, description: 'Too Many Requests', retryAfter: 3_600 }
      for (const fault of [rejected, busy]) {
        for (let number = 0; number < 10; number += 1) server.faults.push(fault)
        const before = server.calls.get('sendMessage') ?? 0
        await eve.write('/help', { chatId: GROUP })
        expect((server.calls.get('sendMessage') ?? 0) - before).toBe(1)
        server.faults.length = 0
        await person.write('/help')
        expect(person.last().text).toContain('Commands')
      }
      expect(board.seen).toEqual([])
    }))

  it('that cannot be handled is left out after a few seconds, and no wait grows', () =>
    withTelegram(async (board) => {
      const person = await linked(server, board, 7)
      for (let number = 0; number < 5; number += 1) server.faults.push({ method: 'sendMessage', cut: true })
      await person.write('/help', { chatId: GROUP })
      await board.clock.advance({ seconds: 6 })
      expect(server.faults).toEqual([])
      await person.write('/task list')
      expect(person.last().text).toContain('No open task')
      expect(board.seen.filter((line) => line.includes('was left out'))).toHaveLength(1)
      expect(board.seen.filter((line) => line.includes('could not be reached'))).toEqual([])
    }))

  it('gets no response when somebody writes too much, be it for help', () =>
    withTelegram(async (board) => {
      const eve = telegramPerson(server, board, 8, 'Eve')
      const from = { id: 8, is_bot: false, first_name: 'Eve' }
      const chat = { id: 8, type: 'private', first_name: 'Eve' }
      for (let number = 0; number < 40; number += 1) {
        const text = number % 2 === 0 ? '/help' : 'a task'
        server.push({ message: { message_id: server.nextMessageId(), date: 0, from, chat, text } })
      }
      await board.clock.advance({ seconds: 5 })
      expect(server.messages(8)).toHaveLength(30)
      await board.clock.advance({ minutes: 2 })
      await eve.write('/help')
      expect(server.messages(8)).toHaveLength(31)
    }))
})

describe('what people may not', () => {
  it('is said to those whose account takes no writes, and their updates are over', () =>
    withTelegram(async (board) => {
      const person = await linked(server, board, 7)
      await board.taskboard.accounts.update(board.accountId, { readOnly: true })
      await person.write('A task for later')
      expect(person.last().text).toContain('takes no writes at the moment')
      expect(board.seen).toEqual([])
      await board.taskboard.accounts.update(board.accountId, { readOnly: false })
      await board.clock.advance({ seconds: 10 })
      expect((await boardOf(board).list('TODO')).tasks).toEqual([])
    }))

  it('take back a task that is old, by a card that is new', () =>
    withTelegram(async (board) => {
      const person = await linked(server, board, 7)
      const task = await boardOf(board).add({ title: 'Of long ago' })
      await board.clock.advance({ minutes: 5 })
      await person.write(`/task status #${task.id.slice(-6)}`)
      await board.clock.advance(SECONDS)
      expect(person.card('Of long ago').buttons).toEqual({})
    }))

  it('connect a direct conversation, whose tasks are their own', () =>
    withTelegram(async (board) => {
      const person = await linked(server, board, 7)
      const [workspace] = await board.taskboard.accounts.listWorkspaces(board.accountId)
      await person.write(`/task connect ${workspace?.name ?? ''}`)
      expect(person.last().text).toContain('belongs to your own default workspace')
      expect(await board.taskboard.services.bots.links.conversations(board.ada)).toEqual([])
    }))
})

describe('a conversation that Telegram slows down', () => {
  it('holds up no other, and a second one the whole bot', () =>
    withTelegram(async (board) => {
      const wait = { method: 'editMessageText', code: 429, description: 'Too Many Requests', retryAfter: 600 }
      const people: { readonly card: () => string }[] = []
      for (const number of [7, 8, 9]) {
        const person = await linked(server, board, number)
        await person.write(`Task of ${number}`)
        people.push({ card: () => person.card(`Task of ${number}`).text })
      }
      const { tasks } = await boardOf(board).list('TODO')
      const start = async (number: number) => {
        await boardOf(board).move(tasks.find(({ title }) => title === `Task of ${number}`)?.id ?? '', 'DOING')
        await board.clock.advance(SECONDS)
      }
      const shown = () => people.map(({ card }) => card().includes('In progress'))
      server.faults.push({ ...wait })
      await start(7)
      await start(8)
      expect(shown()).toEqual([false, true, false])
      server.faults.push({ ...wait })
      await boardOf(board).move(tasks.find(({ title }) => title === 'Task of 8')?.id ?? '', 'TODO')
      await board.clock.advance(SECONDS)
      await start(9)
      expect(shown()).toEqual([false, true, false])
      await board.clock.advance({ minutes: 11 })
      expect(shown()).toEqual([true, false, true])
    }))
})

describe('a question', () => {
  it('that the card does not show is answered by no reply', () =>
    withTelegram(async (board) => {
      const person = await linked(server, board, 7)
      await person.write('Book a room')
      const { messageId } = person.card('Book a room')
      const bodies = async (taskId: string) =>
        (await boardOf(board).comments(taskId)).comments.map(({ kind, body }) => `${kind} ${body}`)
      const ask = async (question: string) => {
        const { id, fencingToken } = await claimed(board)
        await boardOf(board).ask(id, { fencingToken, question })
        return id
      }
      const wait = { method: 'editMessageText', code: 429, description: 'Too Many Requests', retryAfter: 60 }
      server.faults.push(wait)
      const id = await ask('For how many?')
      await person.write('For noon', { replyTo: messageId })
      expect(await bodies(id)).toEqual(['question For how many?', 'comment For noon'])
      await board.clock.advance({ seconds: 61 })
      expect(person.card('Book a room').text).toContain('For how many?')
      await boardOf(board).answer(id, { body: 'Twelve' })
      server.faults.push(wait)
      await ask('Which floor?')
      await person.write('Thirteen', { replyTo: messageId })
      expect(person.last().text).toBe('Added as a comment.')
      await board.clock.advance({ seconds: 61 })
      await person.write('The second', { replyTo: messageId })
      expect((await bodies(id)).slice(2)).toEqual([
        'answer Twelve',
        'question Which floor?',
        'comment Thirteen',
        'answer The second',
      ])
    }))
})

describe('an approval', () => {
  it('shows characters of its request that nobody would see', () =>
    withTelegram(async (board) => {
      const { card } = await withApproval(board, 'Refund order 7\u202E for Ada')
      expect(card.text).toContain(String.raw`Refund order 7\u202e for Ada`)
      expect(card.text).toContain(String.raw`ada\u202e\u200beve`)
    }))

  it('that was withdrawn is not decided by its buttons', () =>
    withTelegram(async (board) => {
      const { person, id, card } = await withApproval(board)
      const wait = { method: 'editMessageText', code: 429, description: 'Too Many Requests', retryAfter: 60 }
      await person.write('Another task')
      server.faults.push(wait)
      const [other] = (await boardOf(board).list('TODO')).tasks.filter(
        ({ title }) => title === 'Another task',
      )
      await boardOf(board).move(other?.id ?? '', 'DOING')
      await board.clock.advance(SECONDS)
      // For a minute no card changes.
      await boardOf(board).release(id)
      await person.press(card, 'Approve')
      expect(server.alerts.at(-1)).toContain('does not wait for an approval')
      expect((await boardOf(board).approvals(id)).approvals[0]?.status).toBe('pending')
    }))

  it('is on record with the update that decided it', () =>
    withTelegram(async (board) => {
      const { person, card } = await withApproval(board)
      await person.press(card, 'Approve')
      const { records } = await board.taskboard.audit.list(board.accountId, { actions: ['approval.decided'] })
      expect(records.map(({ by }) => by.requestId)).toEqual([expect.stringMatching(/^telegram:\d+$/)])
    }))
})

describe('a card', () => {
  /** A card whose next change meets a fault of Telegram. */
  async function withFault(board: BotBoard, code: number, description: string, method = 'editMessageText') {
    const person = await linked(server, board, 7)
    await person.write('Book a room')
    server.faults.push({ method, code, description })
    const claim = await claimed(board)
    await board.clock.advance(SECONDS)
    return { person, claim }
  }

  it('that was deleted in Telegram is forgotten', () =>
    withTelegram(async (board) => {
      const { claim } = await withFault(board, 400, 'Bad Request: message to edit not found')
      const edits = server.calls.get('editMessageText')
      await boardOf(board).complete(claim.id, { fencingToken: claim.fencingToken, result: 'Room 7' })
      await board.clock.advance({ minutes: 1 })
      expect(server.calls.get('editMessageText')).toBe(edits)
    }))

  it('of a person who blocked the bot gets no more messages, with an alert', () =>
    withTelegram(async (board) => {
      const alerts: string[] = []
      board.taskboard.events.on('agent.alert', ({ data }) => alerts.push(data.message))
      await withFault(board, 403, 'Forbidden: bot was blocked by the user')
      expect(alerts).toEqual([expect.stringContaining('a direct conversation gets no more messages')])
    }))

  it('is given up after twenty failures in a row, and the log says so', () =>
    withBots(
      [telegramBot({ token: server.token, apiUrl: server.url, secretToken: 'a-secret' })],
      async (board) => {
        await board.clock.advance(SECONDS)
        const fault = { method: 'editMessageText', code: 500, description: 'Internal Server Error' }
        // The edit that ends the link takes the first one.
        for (let failure = 0; failure < 20; failure += 1) server.faults.push(fault)
        const { person } = await withFault(board, 500, 'Internal Server Error')
        await board.clock.advance({ hours: 2 })
        expect(server.calls.get('editMessageText')).toBe(21)
        expect(board.seen.filter((line) => line.includes('given up after too many tries'))).toHaveLength(1)
        expect(person.card('Book a room').text).toContain('To do')
      },
    ))
})
