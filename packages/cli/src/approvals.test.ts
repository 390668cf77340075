import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder, run } from '../test/cli-process.js'
import { startOnTerminal } from '../test/terminal.js'
import { openWorkingBoard, type WorkingBoard } from '../test/working-board.js'

let board: WorkingBoard
let person: string
beforeAll(async () => {
  board = await openWorkingBoard()
  person = (
    await board.host.taskboard.accounts.createKey({
      workspaceId: board.host.workspaceId,
      name: 'person',
      scopes: ['tasks:read', 'approvals:write'],
    })
  ).key
})
afterAll(() => board.close())

const settings = (): Record<string, string> => ({
  HOME: newFolder(),
  TASKBOARD_URL: board.host.url,
  TASKBOARD_KEY: person,
})
const command = (...args: readonly string[]) => run(args, { env: settings() })

/** What the summary hides: another sum, and a character that turns text around. */
const EVIL = { cents: 99_999_999, to: 'DE00\u202E EVIL\u200B', key: 'tb_0123456789' }
const REFUND = { action: 'refund', summary: 'Refund 19.00 EUR \u001B[2J', input: EVIL }

/** A task whose agent, outside of the host, waits for this. */
async function waiting(asked: object = REFUND) {
  const { client, host } = board
  const { id: agentId } = await host.taskboard.agents.create(host.workspaceId, {
    name: 'Clerk',
    type: 'clerk',
  })
  const { id: taskId } = await client.tasks.create({ title: 'Refund', assigned_to: agentId })
  const { task } = await client.tasks.claim({ agent_id: agentId })
  const body = { ...REFUND, ...asked, fencing_token: task?.fencing_token ?? 0 }
  const { approval } = await client.tasks.approvals.request(taskId, body)
  return { agentId, taskId, ...approval }
}

const statusOf = async (id: string): Promise<string> => (await board.client.approvals.get(id)).status

describe('the input of an approval', { timeout: 60_000 }, () => {
  it('is shown with its digest wherever an approval is', async () => {
    const { id, taskId, short_digest: digest } = await waiting()
    const input = String.raw`"cents":99999999,"to":"DE00\u202e EVIL\u200b","key":"tb_0123456789"`
    const listed = await command('approvals', '--task', taskId)
    expect(listed.stdout).toContain(digest)
    expect(listed.stdout).toContain(input)
    for (const args of [
      ['approvals', 'show', id],
      ['approvals', 'show', taskId],
      ['show', taskId],
    ]) {
      const { stdout } = await command(...args)
      expect(stdout.replaceAll(/\n\s*/g, '').replaceAll('": ', '":')).toContain(input)
      expect(stdout).toMatch(new RegExp(`^digest +${digest}$`, 'm'))
      expect(stdout).not.toMatch(/(?![ \n])[\p{C}\p{Z}]/u)
    }
    expect((await command('approvals', 'show', id, '--json')).json()).toMatchObject({ input: EVIL })
  })

  it('is cut in the list with its length', async () => {
    const { taskId } = await waiting({ input: 'x'.repeat(900) })
    const { stdout } = await command('approvals', '--task', taskId)
    expect(stdout).toMatch(/x… \(902 characters\)\n$/)
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(200)
  })
})

describe('a decision', { timeout: 60_000 }, () => {
  it.each(['approve', 'reject'])('to %s needs the digest without a terminal', async (verb) => {
    const { id, taskId, short_digest: digest } = await waiting()
    for (const args of [
      [verb, id],
      [verb, taskId],
      [verb, id, '--json'],
    ]) {
      const refused = await command(...args)
      expect(refused.code).toBe(2)
      expect(refused.stderr).toContain(`taskboard approvals show ${id}`)
      expect(refused.stderr).not.toContain(digest)
    }
    const wrong = await command(verb, id, '--digest', '0000-0000-0000')
    expect(wrong.code).toBe(5)
    expect(wrong.stderr).toContain(`the digest of the input is ${digest}`)
    expect(await statusOf(id)).toBe('pending')
    const decided = await command(verb, taskId, '--digest', digest)
    expect(decided).toMatchObject({ code: 0 })
    expect(decided.stdout).toMatch(new RegExp(`^${id} +(approved|rejected)\n$`))
    expect(decided.stderr).toContain(String.raw`"to": "DE00\u202e EVIL\u200b"`)
  })

  it('is made on a terminal by who saw the input and says yes', async () => {
    const { id, short_digest: digest } = await waiting()
    const answers = [
      ['\r', 1],
      ['n\r', 1],
      ['yes\r', 0],
    ] as const
    for (const [answer, code] of answers) {
      expect(await statusOf(id)).toBe('pending')
      const terminal = startOnTerminal(['approve', id], settings())
      await terminal.shows(new RegExp(digest))
      await terminal.shows(/"cents": 99999999/)
      await terminal.shows(/Approve this\? \[y\/N\]: /)
      terminal.type(answer)
      expect(await terminal.ended).toBe(code)
      expect(terminal.shown()).not.toContain('\u202E')
    }
    expect(await statusOf(id)).toBe('approved')
  })

  it('is not guessed for a task with several', async () => {
    const { taskId, id, agentId } = await waiting()
    await board.client.tasks.release(taskId)
    const { task } = await board.client.tasks.claim({ agent_id: agentId })
    const other = { ...REFUND, input: {}, fencing_token: task?.fencing_token ?? 0 }
    const { approval } = await board.client.tasks.approvals.request(taskId, other)
    const refused = await command('approve', taskId, '--digest', approval.short_digest)
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain(id)
    expect(refused.stderr).toContain(approval.id)
    expect(await statusOf(approval.id)).toBe('pending')
  })
})
