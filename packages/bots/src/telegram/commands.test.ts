import { telegramServer, type TelegramServer } from '@taskboard/kit/messengers/telegram-server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withBots, type BotBoard } from '../../test/bot-board.js'
import { linked, telegramPerson, type TelegramPerson } from '../../test/telegram-person.js'
import { telegramBot } from './telegram-bot.js'

let server: TelegramServer
beforeEach(async () => {
  server = await telegramServer()
})
afterEach(() => server.close())

const SECONDS = { seconds: 2 }
const GROUP = -1_001_234
const boardOf = ({ taskboard, workspaceId }: BotBoard) => taskboard.board(workspaceId)

/** A board with a linked person and an agent. */
const withPerson = (
  work: (board: BotBoard, person: TelegramPerson, agentId: string) => Promise<void>,
): Promise<void> =>
  withBots([telegramBot({ token: server.token, apiUrl: server.url, pollSeconds: 0 })], async (board) => {
    const person = await linked(server, board, 7)
    const { id } = await board.taskboard.agents.create(board.workspaceId, { name: 'Robo', type: 'worker' })
    await work(board, person, id)
  })

async function addedBy(person: TelegramPerson, board: BotBoard, text: string) {
  await person.write(text)
  const [task] = (await boardOf(board).list('TODO')).tasks.filter(({ title }) => text.startsWith(title))
  if (task === undefined) throw new Error(`no task of ${text}`)
  return { id: task.id, handle: `#${task.id.slice(-6)}`, card: person.card(task.title) }
}

const said = (person: TelegramPerson, chatId?: number) => person.last(chatId).text

describe('a command', () => {
  it('names a task by the end of its id, by its whole id, or in reply to its card', () =>
    withPerson(async (board, person) => {
      const { id, handle, card } = await addedBy(person, board, 'Book a room')
      await person.write(`priority ${handle} high`)
      expect(said(person)).toBe('The priority of Book a room is high.')
      await person.write('/task priority urgent', { replyTo: card.messageId })
      expect((await boardOf(board).get(id)).priority).toBe('urgent')
      await person.write(`comment ${id} With a screen`)
      expect(said(person)).toBe('Added as a comment on Book a room.')
      await person.write('why #0000')
      expect(said(person)).toContain('here is no task #0000 among the newest ones here')
      await person.write('cancel')
      expect(said(person)).toContain('ame the task, such as #')
      await person.write('cancel task_00000000000000000000000000')
      expect(said(person)).toBe('No such task.')
      const other = await board.taskboard.accounts.create({ name: 'Other', tier: 'professional' })
      const theirs = await board.taskboard.board(other.workspace.id).add({ title: 'Theirs' })
      await person.write(`cancel ${theirs.id}`)
      expect(said(person)).not.toContain('Theirs')
      await person.write(`cancel ${handle}`)
      expect(said(person)).toBe('Cancelled: Book a room')
    }))

  it('lists the open tasks, and those of the person', () =>
    withPerson(async (board, person, agentId) => {
      await person.write('list')
      expect(said(person)).toBe('No open task.')
      await person.write('mine')
      expect(said(person)).toBe('No open task of yours here.')
      const held = await boardOf(board).add({ title: 'Wait for the bank' })
      await boardOf(board).hold(held.id, { reason: 'budget', message: 'until Monday' })
      await addedBy(person, board, 'Book a room, for Robo')
      await boardOf(board).claim({ agentId })
      await boardOf(board).add({ title: 'Of a colleague' })
      await person.write('list')
      expect(said(person)).toMatch(/🕓 Of a colleague #\w{6}/)
      expect(said(person)).toMatch(/⚙️ Book a room #\w{6} · Robo/)
      expect(said(person)).toMatch(/⏸️ Wait for the bank #\w{6}/)
      await person.write('mine')
      expect(said(person)).toMatch(/^⚙️ Book a room #\w{6} · Robo$/)
    }))

  it('says why a task waits', () =>
    withPerson(async (board, person, agentId) => {
      const { id, handle } = await addedBy(person, board, 'Book a room')
      const why = async (text: string) => {
        await person.write(`why ${handle}`)
        expect(said(person)).toContain(text)
      }
      await why('It waits for the next free agent.')
      const first = await boardOf(board).add({ title: 'Choose the day' })
      await boardOf(board).update(id, { dependsOn: [first.id], assignedTo: agentId })
      await why('It waits for 1 other tasks.')
      await boardOf(board).update(id, { dependsOn: [] })
      await why('It waits for Robo.')
      await boardOf(board).update(id, { notBefore: board.clock.now() + 3_600_000 })
      await why('It begins ')
      await boardOf(board).update(id, { notBefore: null })
      const claim = async () => (await boardOf(board).claim({ agentId, taskId: id }))?.fencingToken ?? 0
      let fencingToken = await claim()
      await why('Robo works on it.')
      await boardOf(board).ask(id, { fencingToken, question: 'For how many?' })
      await why('It waits for an answer to its question.')
      await boardOf(board).answer(id, { body: 'Twelve' })
      fencingToken = await claim()
      const request = { fencingToken, action: 'pay', summary: 'Pay the deposit', input: { cents: 5_000 } }
      const { approval } = await boardOf(board).requestApproval(id, request)
      await why('It waits for a decision: Pay the deposit')
      await boardOf(board).decide(approval.id, { decision: 'approved' })
      fencingToken = await claim()
      await boardOf(board).complete(id, { fencingToken, result: '' })
      await why('It is done.')
    }))

  it('connects a group with a workspace that the person reaches, by a name that only one has', () =>
    withPerson(async (board, person) => {
      const { accounts } = board.taskboard
      await accounts.createWorkspace(board.accountId, { name: 'Sales' })
      const twice = await accounts.createWorkspace(board.accountId, { name: 'Twice' })
      await accounts.createWorkspace(board.accountId, { name: 'twice' })
      await person.write('connect Sales')
      expect(said(person)).toContain(' direct conversation belongs to your own default workspace')
      const connect = async (name: string, text: string) => {
        await person.write(`/task connect ${name}`, { chatId: GROUP })
        expect(said(person, GROUP)).toContain(text)
      }
      await connect('Nowhere', 'here is no workspace Nowhere')
      await connect('Twice', 'everal workspaces have that name')
      board.addPerson('ada', { workspaceIds: [twice.id], defaultWorkspaceId: twice.id })
      await connect('Sales', 'here is no workspace Sales')
      board.addPerson('ada')
      await connect('"Sales"', 'Tasks of this conversation go to Sales.')
    }))
})

describe('a code', () => {
  it('that others could have read, or whose user has left, links nobody and is used up', () =>
    withPerson(async (board) => {
      const eve = telegramPerson(server, board, 8, 'Eve')
      const shown = await board.codeFor(board.ada)
      await eve.write(`/task connect ${shown}`, { chatId: GROUP })
      expect(said(eve, GROUP)).not.toContain('Link this account')
      await eve.write(`/start ${shown}`)
      expect(said(eve)).toContain('not valid')
      const bob = board.addPerson('bob')
      const code = await board.codeFor(bob)
      board.people.delete('bob')
      await eve.write(`/start ${code}`)
      expect(said(eve)).toContain('not linked')
    }))
})

describe('a card', () => {
  it('shows each state of its task', () =>
    withPerson(async (board, person, agentId) => {
      const { id, card } = await addedBy(person, board, 'Book a room')
      const text = async () => {
        await board.clock.advance(SECONDS)
        return server.messages(7).find(({ messageId }) => messageId === card.messageId)?.text ?? ''
      }
      await boardOf(board).hold(id, { reason: 'budget', message: 'until Monday' })
      expect(await text()).toMatch(/On hold[\s\S]*until Monday/)
      await boardOf(board).release(id)
      await boardOf(board).hold(id, { reason: 'failed', message: 'no room' })
      expect(await text()).toMatch(/Failed[\s\S]*no room/)
      await boardOf(board).release(id)
      await boardOf(board).hold(id, { reason: 'needs_input', message: 'Which day?' })
      expect(await text()).toMatch(/Needs your answer[\s\S]*Which day\?[\s\S]*Reply to this message/)
      await person.write('Monday', { replyTo: card.messageId })
      expect(said(person)).toBe('Thanks, the agent has your answer.')
      const { fencingToken } = (await boardOf(board).claim({ agentId, taskId: id })) ?? { fencingToken: 0 }
      await boardOf(board).complete(id, { fencingToken, result: '' })
      expect(await text()).toMatch(/Done\nBook a room #\w{6}\nby Robo/)
      await boardOf(board).move(id, 'TODO')
      await boardOf(board).cancel(id)
      expect(await text()).toContain('Cancelled')
      await boardOf(board).delete(id)
      expect(await text()).toContain('Deleted')
    }))

  it('in a direct conversation is no longer edited when its person leaves', () =>
    withPerson(async (board, person, agentId) => {
      await addedBy(person, board, 'Book a room')
      board.people.delete('ada')
      const edits = server.calls.get('editMessageText')
      await boardOf(board).claim({ agentId })
      await board.clock.advance({ minutes: 1 })
      expect(server.calls.get('editMessageText')).toBe(edits)
      expect(person.card('Book a room').text).toContain('To do')
    }))
})

describe('a press', () => {
  it('takes back a new task as the person who added it, while no agent has begun', () =>
    withPerson(async (board, person, agentId) => {
      board.addPerson('bob')
      const bob = await linked(server, board, 9, board.people.get('bob'))
      const [workspace] = await board.taskboard.accounts.listWorkspaces(board.accountId)
      await person.write(`/task connect ${workspace?.name ?? ''}`, { chatId: GROUP })
      await person.write('/task Book a room', { chatId: GROUP })
      const card = person.card('Book a room', GROUP)
      await bob.press(card, 'Undo')
      expect(server.alerts.at(-1)).toContain('nly who added the task can take it back')
      await boardOf(board).claim({ agentId })
      await person.press(card, 'Undo')
      expect(server.alerts.at(-1)).toMatch(/an agent has begun|is out of date/i)
      await person.write('/task Book another room', { chatId: GROUP })
      await person.press(person.card('Book another room', GROUP), 'Undo')
      expect(server.alerts.at(-1)).toBe('The task is taken back.')
      expect((await boardOf(board).list('TODO')).tasks).toEqual([])
    }))

  it('declines a link, whose code is used up then', () =>
    withPerson(async (board) => {
      const eve = telegramPerson(server, board, 8, 'Eve')
      await eve.write(`/start ${await board.codeFor(board.ada)}`)
      const offer = eve.last()
      await eve.press(offer, 'Do not link')
      expect(server.alerts.at(-1)).toContain('was not linked, and the code is used up')
      await eve.press(offer, 'Link')
      expect(server.alerts.at(-1)).toContain('expired, or was used')
      await eve.write('list')
      expect(said(eve)).toContain('not linked')
    }))
})
