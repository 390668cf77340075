import { createTaskboard, type Storage, type Taskboard } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { telegramServer, type TelegramServer } from '@taskboard/kit/messengers/telegram-server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withBots, type BotBoard } from '../test/bot-board.js'
import { linked } from '../test/telegram-person.js'
import { telegramBot } from './telegram/telegram-bot.js'

let server: TelegramServer
beforeEach(async () => {
  server = await telegramServer()
})
afterEach(() => server.close())

const bot = () => telegramBot({ token: server.token, apiUrl: server.url, pollSeconds: 0 })

/** Another process on the storage of a board. */
async function another({ storage, clock, people }: BotBoard): Promise<Taskboard> {
  const taskboard = createTaskboard({
    storage,
    clock,
    bots: [bot()],
    authenticate: () => null,
    people: { principal: (id) => people.get(id) ?? null },
    publicUrl: 'https://app.example',
    logger: false,
  })
  await taskboard.start()
  return taskboard
}

const message = (text: string) => {
  const chat = { id: 7, type: 'private', first_name: 'Ada' }
  const from = { id: 7, is_bot: false, first_name: 'Ada' }
  return { message: { message_id: server.nextMessageId(), date: 0, from, chat, text } }
}

const titlesOf = async ({ taskboard, workspaceId }: BotBoard) =>
  (await taskboard.board(workspaceId).list('TODO')).tasks.map(({ title }) => title).toSorted()

/** A storage whose commits fail while `isDying` says so, after all of their work was done. */
function dying(isDying: () => boolean): Storage {
  const storage: Storage = memoryStorage()
  return {
    ...storage,
    inOneCommit: (call, work) =>
      storage.inOneCommit(call, async (own) => {
        const value = await work(own)
        if (isDying()) throw new Error('the process was killed')
        return value
      }),
  }
}

describe('two processes with one bot', () => {
  it('make each task once, and the second one goes on when the first one ends', () =>
    withBots([bot()], async (board) => {
      await linked(server, board, 7)
      const second = await another(board)
      for (let number = 10; number < 30; number += 1) server.push(message(`Task ${number}`))
      await board.clock.advance({ seconds: 5 })
      const titles = await titlesOf(board)
      expect(titles).toEqual(Array.from({ length: 20 }, (_, index) => `Task ${index + 10}`))
      await board.taskboard.close()
      server.push(message('After it'))
      await board.clock.advance({ seconds: 90 })
      const { tasks } = await second.board(board.workspaceId).list('TODO')
      expect(tasks.filter(({ title }) => title === 'After it')).toHaveLength(1)
      expect(server.messages(7).filter(({ text }) => text.includes('Task 29'))).toHaveLength(1)
      await second.close()
    }))
})

describe('a process that ends', () => {
  it('between an update and the commit of its task leaves both to the next try: the task is made once', async () => {
    let left = 0
    const storage = dying(() => left-- > 0)
    await withBots(
      [bot()],
      async (board) => {
        await linked(server, board, 7)
        left = 3
        server.push(message('Killed three times'))
        await board.clock.advance({ seconds: 30 })
        expect(await titlesOf(board)).toEqual(['Killed three times'])
        expect(server.messages(7).filter(({ text }) => text.includes('Killed'))).toHaveLength(1)
        expect(server.waiting()).toBe(0)
      },
      { storage },
    )
  })

  it('between a commit and its message leaves the card to the next process', async () => {
    const storage = memoryStorage() as Storage
    const killed = () => Promise.reject(new Error('the process was killed'))
    const ending = { ...storage, bots: { ...storage.bots, settleMessage: killed } }
    const silent = { ...bot(), show: killed }
    await withBots(
      [silent],
      async (board) => {
        await linked(server, board, 7)
        server.push(message('Nobody has seen this'))
        await board.clock.advance({ seconds: 3 })
        expect(await titlesOf(board)).toEqual(['Nobody has seen this'])
        await board.taskboard.close()
        const next = await another({ ...board, storage })
        await board.clock.advance({ minutes: 3 })
        expect(server.messages(7).filter(({ text }) => text.includes('Nobody'))).toHaveLength(1)
        await next.close()
      },
      { storage: ending },
    )
  })
})
