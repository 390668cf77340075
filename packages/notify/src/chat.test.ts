import { type NotificationType, shortDigest } from '@taskboard/core'
import { webhookReceiver, type WebhookReceiver } from '@taskboard/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CHANNELS, withBoard } from '../test/notified-board.js'
import { discord, slack, teams } from './index.js'

const SECRET = 'T0HUNTER/B0HUNTER/hunter2hunter2'
const HOSTILE = '<!channel> <@U123> @everyone *bold* [safe](https://evil.example) & `code`'

const card = (text: string) => ({
  $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
  type: 'AdaptiveCard',
  version: '1.2',
  body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] }],
  msteams: { width: 'Full' },
})

const cardMessage = (content: object) => ({
  type: 'message',
  attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
})

/** The text of a message, with the link of a card as it stands in the text of the others. */
function textOf(json: unknown): string {
  const { text, content, attachments } = json as {
    readonly text?: string
    readonly content?: string
    readonly attachments?: readonly {
      readonly content: {
        readonly body: readonly { readonly inlines: readonly { readonly text: string }[] }[]
        readonly actions?: readonly { readonly url: string }[]
      }
    }[]
  }
  const [{ content: shownCard } = { content: undefined }] = attachments ?? []
  const [action] = shownCard?.actions ?? []
  const link = action === undefined ? '' : `\n<${action.url}>`
  return (text ?? content ?? shownCard?.body[0]?.inlines[0]?.text ?? '') + link
}

const chats: readonly (readonly [NotificationType, message: object, test: object])[] = [
  [
    slack(),
    {
      text: 'New task: &lt;!channel&gt; &lt;@U123&gt; @everyone *bold* [safe](https://evil.example) &amp; `code`',
      mrkdwn: false,
      parse: 'none',
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
    },
    { text: 'Test of the channel “A &lt;!here&gt; channel”: New task: A sample task' },
  ],
  [
    discord(),
    {
      content:
        'New task: \\<!channel\\> \\<\\@U123\\> \\@everyone \\*bold\\* \\[safe\\]\\(https://evil.example\\) & \\`code\\`',
      allowed_mentions: { parse: [] },
      flags: 4,
    },
    { content: 'Test of the channel “A \\<!here\\> channel”: New task: A sample task' },
  ],
  [
    teams(),
    cardMessage(card(`New task: ${HOSTILE}`)),
    cardMessage(card('Test of the channel “A <!here> channel”: New task: A sample task')),
  ],
]

describe.each(chats)('a channel of $name', (type, message, test) => {
  let receiver: WebhookReceiver
  beforeEach(async () => {
    receiver = await webhookReceiver()
  })
  afterEach(() => receiver.close())

  const endpoint = () => receiver.at(`/services/${SECRET}`)
  const input = () => ({
    type: type.name,
    name: 'A <!here> channel',
    config: { url: endpoint().url },
    events: ['task.created'],
  })

  it('posts events as JSON, in which what users wrote has no meaning', async () => {
    await withBoard([type], async ({ send, add }) => {
      await send('POST', CHANNELS, input())
      await add(HOSTILE)
      const [delivery] = endpoint().deliveries
      expect(delivery?.headers['content-type']).toBe('application/json')
      expect(delivery?.json).toEqual(message)
    })
  })

  it('links to the task, and says who wrote', async () => {
    await withBoard(
      [type],
      async ({ send, taskboard, workspaceId, clock }) => {
        await send('POST', CHANNELS, { ...input(), events: ['task.commented', 'task.deleted'] })
        const board = taskboard.board(workspaceId)
        const { id } = await board.add({ title: 'Refund' })
        await board.comment(id, { body: 'Why?' }, { actor: { kind: 'user', id: 'u1', name: 'Ada' } })
        await board.delete(id)
        await clock.advance({ seconds: 1 })
        const link = `\n<https://app.example/kanban/dashboard/#/tasks/${id}>`
        const texts = endpoint().deliveries.map(({ json }) => textOf(json))
        expect(texts[0]).toBe(`Comment by Ada on Refund: Why?${link}`)
        expect(texts[1]).toBe('Deleted: Refund')
      },
      'https://app.example/kanban/',
    )
  })

  it('shows the input of an approval before the summary, shortened, with its length and digest', async () => {
    await withBoard([type], async ({ send, taskboard, workspaceId, clock }) => {
      await send('POST', CHANNELS, { ...input(), events: ['approval.requested'] })
      const board = taskboard.board(workspaceId)
      const agent = await taskboard.agents.create(workspaceId, { name: 'Clerk', type: 'clerk' })
      const { id } = await board.add({ title: 'Refund', assignedTo: agent.id })
      const fencingToken = (await board.claim({ agentId: agent.id }))?.lease?.fencingToken ?? 0
      const asked = {
        action: 'pay',
        summary: `${HOSTILE} `.repeat(20),
        input: [`${HOSTILE}\u202E`, 'x'.repeat(900)],
      }
      const { approval } = await board.requestApproval(id, { ...asked, fencingToken })
      await clock.advance({ seconds: 1 })
      const text = textOf(endpoint().deliveries[0]?.json)
      const unescaped = text
        .replaceAll(/\\([\\*_~`|<>#[\]()@])/g, type.name === 'discord' ? '$1' : '$&')
        .replaceAll(/&(lt|gt|amp);/g, (_, name: string) => ({ lt: '<', gt: '>' })[name] ?? '&')
      const start = JSON.stringify(asked.input)
        .replace('\u202E', String.raw`\u202e`)
        .slice(0, 199)
      const short = shortDigest(approval.inputDigest)
      const bytes = JSON.stringify(asked.input).length + 2
      expect(unescaped).toContain(`Refund: pay ${start}… (${bytes} bytes, digest ${short}): ${HOSTILE}`)
      if (type.name === 'slack') expect(text).not.toMatch(/[<>]/)
      if (type.name === 'discord') expect(text.replaceAll(/\\./g, '')).not.toMatch(/[\\*_~`|<>#[\]()@]/)
    })
  })

  it('sends a test at once, and reports what went wrong', async () => {
    await withBoard([type], async ({ send }) => {
      const { id } = await send('POST', CHANNELS, input())
      expect(await send('POST', `${CHANNELS}/${String(id)}/test`)).toMatchObject({
        delivered: true,
        error: null,
      })
      expect(endpoint().deliveries[0]?.json).toMatchObject(test)
      endpoint().respond({ status: 404, body: 'no_service' })
      const failed = { delivered: false, error: 'HTTP 404 no_service' }
      expect(await send('POST', `${CHANNELS}/${String(id)}/test`)).toMatchObject(failed)
      endpoint().reset()
      const { error } = await send('POST', `${CHANNELS}/${String(id)}/test`)
      expect(error).toMatch(/^network: /)
    })
  })

  it('delivers in order what waited while the other side was down', async () => {
    await withBoard([type], async ({ send, add, clock }) => {
      await send('POST', CHANNELS, input())
      endpoint().respond(500)
      for (const title of ['one', 'two', 'three']) await add(title)
      await clock.advance({ minutes: 10 })
      const failed = endpoint().deliveries
      expect(new Set(failed.map(({ body }) => body.toString())).size).toBe(1)
      const before = failed.length
      endpoint().respond(200)
      await clock.advance({ minutes: 15 })
      const texts = endpoint()
        .deliveries.slice(before)
        .map(({ body }) => body.toString())
      expect(texts).toHaveLength(3)
      for (const [index, title] of ['one', 'two', 'three'].entries()) expect(texts[index]).toContain(title)
    })
  })

  it('shows the URL in no answer and in no log line', async () => {
    await withBoard([type], async ({ send, add, seen, clock }) => {
      const { id } = await send('POST', CHANNELS, input())
      endpoint().respond({ status: 500, body: `cannot find /services/${SECRET} or hunter2hunter2` })
      await add('a task')
      await send('POST', `${CHANNELS}/${String(id)}/test`)
      await clock.advance({ minutes: 5 })
      await send('GET', CHANNELS)
      await send('PATCH', `${CHANNELS}/${String(id)}`, { config: { url: 'https://127.0.0.2:1/hunter2' } })
      await send('PATCH', `${CHANNELS}/${String(id)}`, { config: { url: `ftp://x.example/${SECRET}` } })
      const shown = await send('GET', `${CHANNELS}/${String(id)}`)
      expect(shown['config']).toEqual({ url: '********' })
      expect(seen.some((text) => text.includes('a notification failed; retrying'))).toBe(true)
      expect(seen.filter((text) => /hunter/i.test(text))).toEqual([])
    })
  })

  it('refuses addresses that are not public, and a configuration with something else', async () => {
    await withBoard([type], async ({ send }) => {
      const refused = async (config: object) =>
        ((await send('POST', CHANNELS, { ...input(), config })) as { error: { details: unknown } }).error
          .details
      const issues = [
        await refused({ url: 'https://10.0.0.1/hook' }),
        await refused({ url: 'ftp://chat.example/hook' }),
        await refused({ url: 7 }),
        await refused({}),
        await refused({ url: endpoint().url, channel: '#all' }),
      ]
      expect(issues).toEqual([
        { field: 'config', issue: 'config.url must be at a public address' },
        { field: 'config', issue: 'config.url must use https' },
        { field: 'config', issue: 'config.url must be text' },
        { field: 'config', issue: 'config.url is required' },
        { field: 'config', issue: 'config.channel is not known: the configuration has url only' },
      ])
    })
  })
})
