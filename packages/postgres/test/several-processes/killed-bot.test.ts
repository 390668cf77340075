import { telegramServer, type TelegramServer } from '@taskboard/kit/messengers/telegram-server'
import { until } from '@taskboard/kit/processes/until'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endProcesses, startProcess, type BoardProcess } from '../processes/board-processes.js'
import type { ProcessOptions } from '../processes/messages.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

/** Longer than a process may keep the right to poll, or a message. */
const CLAIMS_ARE_OVER_MS = 600_000
const CHAT = 7

let board: SharedBoard
let server: TelegramServer
beforeEach(async () => {
  board = await createSharedBoard()
  server = await telegramServer()
  await linkAda()
})
afterEach(async () => {
  await endProcesses()
  await server.close()
  await board.database.drop()
})

/** Links the account 7 of Telegram to a user. */
async function linkAda(): Promise<void> {
  const owner = { email: 'ada@acme.example', password: randomBytes(18).toString('base64url') }
  const { account } = await board.taskboard.accounts.create({ name: 'Acme', tier: 'professional', owner })
  const [user] = await board.taskboard.accounts.listUsers(account.id)
  const { bots } = board.storage
  const call = { now: null }
  const shown = { bot: 'telegram', externalId: String(CHAT), secretHash: 'secret' }
  const code = {
    userId: user?.id ?? '',
    accountId: account.id,
    timeZone: 'UTC',
    codeHash: 'code',
    ttlMs: 60_000,
  }
  const { id: codeId } = await bots.insertLinkCode(code, call)
  await bots.offerLink({ codeHash: 'code', name: 'Ada', ...shown }, call)
  await bots.settleLink({ codeId, ...shown, accepts: true, most: 1 }, call)
}

const start = (options: Partial<ProcessOptions>): BoardProcess =>
  startProcess({
    databaseUrl: board.database.url,
    isStarted: true,
    telegram: { apiUrl: server.url, token: server.token },
    ...options,
  })

const from = { id: CHAT, is_bot: false, first_name: 'Ada' }
const chat = { id: CHAT, type: 'private', first_name: 'Ada' }
const titles = () => board.rows<{ title: string }>('select title from taskboard.task')
const cards = () => server.messages(CHAT).filter(({ text }) => text.includes('Book a room'))

describe('a bot whose process was killed', () => {
  it.each([
    ['before the commit of a task makes the task once', 'place_message', 'after', 0, 1],
    ['between a commit and its message posts the message once', 'offer_buttons', 'after', 1, 1],
    ['before it noted a message posts it again', 'settle_message', 'before', 1, 2],
  ] as const)('%s', async (_title, statement, when, made, shown) => {
    server.push({ message: { message_id: server.nextMessageId(), date: 0, from, chat, text: 'Book a room' } })
    const killed = start({ held: { statement, when } })
    await killed.reported('held')
    expect(await titles()).toHaveLength(made)
    await killed.kill()

    const next = start({ clockAheadMs: CLAIMS_ARE_OVER_MS })
    await until(
      async () => cards(),
      (found) => found.length === shown && server.waiting() === 0,
    )
    expect(await titles()).toEqual([{ title: 'Book a room' }])
    const [first, second] = cards()
    if (second !== undefined) {
      const message = { message_id: first?.messageId, date: 0, chat }
      const data = first?.buttons['Undo'] ?? 'no button'
      server.push({ callback_query: { id: 'press', from, message, chat_instance: '1', data } })
      await until(
        async () => server.alerts,
        ({ length }) => length === 1,
      )
      expect(server.alerts).toEqual(['This message was replaced by a newer one.'])
    }
    await next.close()
  })
})
