import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { Sender } from '../webhooks/index.js'
import { createTaskboard } from '../wiring/taskboard.js'
import type { NotificationType } from './notification-type.js'

const MINUTE = 60_000
const events = ['task.created' as const]

/** Posts to the `url` of its configuration. */
const chat: NotificationType<{ readonly url: string }> = {
  name: 'chat',
  secrets: [],
  parseConfig: ({ url }) => ({ url: String(url) }),
  async deliver({ text }, { url }, { post }) {
    const sent = await post({ url, headers: {}, body: text })
    if (sent.kind === 'unanswered') throw new Error(`the chat did not take it: ${sent.detail}`)
  },
}

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function setUp() {
  const clock = virtualClock()
  const sent: { readonly url: string; readonly at: number; readonly text: string }[] = []
  const sender: Sender = {
    async send({ url, body }) {
      sent.push({ url, at: clock.now(), text: Buffer.from(body).toString() })
      return { kind: 'answered', status: 200, excerpt: '' }
    },
    close: () => Promise.resolve(),
  }
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    clock,
    logger: false,
    notifications: [chat],
    webhooks: { sender, mostPerHostPerMinute: 10 },
  })
  closing.push(() => taskboard.close())
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  await taskboard.start()
  const make = (url: string, workspaceId = workspace.id) =>
    taskboard.channels.create(workspaceId, { type: 'chat', name: 'chat', config: { url }, events })
  const add = async (count: number) => {
    for (let at = 0; at < count; at++) await taskboard.board(workspace.id).add({ title: `t${at}` })
  }
  return { taskboard, clock, sent, make, add, accountId: account.id, workspaceId: workspace.id }
}

describe('posts of channels', () => {
  it('share the rate of a host with webhooks, and those beyond it wait without a failure', async () => {
    const { taskboard, clock, sent, make, add, workspaceId } = await setUp()
    const made = []
    for (const path of ['a', 'b', 'c']) made.push(await make(`https://chat.example/${path}`))
    await make('https://other.example/')
    for (const path of ['x', 'y'])
      await taskboard.webhooks.register(workspaceId, { url: `https://chat.example:8443/${path}`, events })
    await add(6)
    await clock.advance({ seconds: 50 })
    const times = () => sent.filter(({ url }) => url.includes('chat.example')).map(({ at }) => at)
    expect(times()).toHaveLength(10)
    expect(sent.filter(({ url }) => url === 'https://other.example/')).toHaveLength(6)
    for (const { id } of made) {
      const { failingSince, lastError } = await taskboard.channels.get(workspaceId, id)
      expect([failingSince, lastError]).toEqual([null, null])
    }
    await clock.advance({ minutes: 10 })
    expect(times()).toHaveLength(5 * 6)
    const most = times().map((from) => times().filter((at) => at >= from && at < from + MINUTE).length)
    expect(Math.max(...most)).toBe(10)
    const texts = sent.filter(({ url }) => url.endsWith('/a')).map(({ text }) => text)
    expect(texts).toEqual(Array.from({ length: 6 }, (_, at) => `New task: t${at}`))
  })

  it('are refused in a test, which says when the next one passes', async () => {
    const { taskboard, clock, make, add, workspaceId } = await setUp()
    const { id } = await make('https://chat.example/a')
    await add(10)
    await clock.advance({ seconds: 10 })
    expect(await taskboard.channels.test(workspaceId, id)).toMatchObject({
      delivered: false,
      error: 'too much is sent to this host; next in 56 s',
    })
    await clock.advance({ minutes: 1 })
    expect(await taskboard.channels.test(workspaceId, id)).toMatchObject({ delivered: true })
  })
})

describe('tests of channels', () => {
  it('are 30 an hour for an account, however many channels and workspaces it makes', async () => {
    const { taskboard, clock, sent, make, accountId } = await setUp()
    const other = await taskboard.accounts.create({ name: 'Other', tier: 'professional' })
    const test = (workspaceId: string, channelId: string) =>
      taskboard.channels.test(workspaceId, channelId).then(
        () => 'sent',
        (error: { readonly code: string }) => error.code,
      )
    const outcomes: string[] = []
    for (let at = 0; at < 40; at++) {
      const { id: workspaceId } = await taskboard.accounts.createWorkspace(accountId, { name: `w${at}` })
      const { id } = await make(`https://h${at}.example/`, workspaceId)
      outcomes.push(await test(workspaceId, id))
      await taskboard.channels.delete(workspaceId, id)
    }
    expect(outcomes.filter((outcome) => outcome === 'RATE_LIMITED')).toHaveLength(10)
    expect(sent).toHaveLength(30)
    const theirs = await make('https://theirs.example/', other.workspace.id)
    expect(await test(other.workspace.id, theirs.id)).toBe('sent')
    await clock.advance({ hours: 1 })
    const { id: workspaceId } = await taskboard.accounts.createWorkspace(accountId, { name: 'later' })
    expect(await test(workspaceId, (await make('https://later.example/', workspaceId)).id)).toBe('sent')
  })
})
