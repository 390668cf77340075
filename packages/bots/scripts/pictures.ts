// Draws the pictures of docs/bots.md: a story in each messenger, as the tests' servers have its messages. The applications themselves draw them
// in their own ways.
//   npm run screenshots:bots
import { launchBrowser } from '@taskboard/kit/browser/launch-browser'
import { telegramServer } from '@taskboard/kit/messengers/telegram-server'
import { slackBot, telegramBot } from '../src/index.js'
import { claimed, withBots, type BotBoard } from '../test/bot-board.js'
import { linkedInSlack } from '../test/slack-person.js'
import { slackServer } from '../test/slack-server.js'
import { telegramPerson } from '../test/telegram-person.js'

interface Shown {
  readonly from: 'Ada' | 'Taskboard'
  readonly html: string
  readonly buttons?: readonly string[]
  /** `in reply`, or that it is the same message, edited. */
  readonly note?: 'in reply' | 'edited'
}

const SECONDS = { seconds: 2 }
const REFUND = {
  action: 'refund',
  summary: 'Refund the second payment of order 7',
  input: { order: 7, cents: 1_900, currency: 'EUR' },
}

/** The picture's fonts have none. */
const EMOJI = /\p{Extended_Pictographic}\uFE0F? */gu

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

async function inTelegram(): Promise<readonly Shown[]> {
  const server = await telegramServer()
  const story: Shown[] = []
  const bot = telegramBot({ token: server.token, apiUrl: server.url, pollSeconds: 0 })
  await withBots([bot], async (board) => {
    const ada = telegramPerson(server, board, 7)
    const write = async (text: string) => {
      story.push({ from: 'Ada', html: escaped(text) })
      await ada.write(text)
    }
    const show = () => {
      const { html, buttons, edits } = ada.last()
      const note = edits === 0 ? {} : ({ note: 'edited' } as const)
      story.push({ from: 'Taskboard', html, buttons: Object.keys(buttons), ...note })
    }
    await write(await board.codeFor(board.ada))
    show()
    await ada.press(ada.last(), 'Link')
    await write('Refund the second payment of order 7, high, due friday 17:00, #billing')
    show()
    await ask(board)
    show()
    await ada.press(ada.last(), 'Approve')
    show()
  })
  await server.close()
  return story
}

async function inSlack(): Promise<readonly Shown[]> {
  const server = await slackServer()
  const story: Shown[] = []
  const { signingSecret, botToken, url: apiUrl } = server
  await withBots([slackBot({ signingSecret, botToken, apiUrl })], async (board) => {
    const ada = await linkedInSlack(server, board)
    const show = (note: Pick<Shown, 'note'> = {}) => {
      const post = server.posts.findLast(({ mrkdwn }) => mrkdwn.includes('Book'))
      if (post === undefined) throw new Error('there is no card')
      const buttons = Object.keys(post.buttons)
      story.push({ from: 'Taskboard', html: htmlOf(post.mrkdwn), buttons, ...note })
      return post
    }
    const command = 'Book a room for the workshop, urgent, #events'
    story.push({ from: 'Ada', html: escaped(`/task ${command}`) })
    await ada.command(command)
    show()
    const { id, fencingToken } = await claimed(board)
    const tasks = board.taskboard.board(board.workspaceId)
    await tasks.ask(id, { fencingToken, question: 'For how many people?' })
    await board.clock.advance(SECONDS)
    const { ts, channel } = show({ note: 'edited' })
    const text = 'For twelve'
    story.push({ from: 'Ada', html: text, note: 'in reply' })
    await ada.event({ channel, channel_type: 'channel', text, ts: '9.9', thread_ts: ts }, 'Ev1')
    const again = await claimed(board)
    await tasks.complete(id, { fencingToken: again.fencingToken, result: 'Room 4 is booked for twelve.' })
    await board.clock.advance(SECONDS)
    show({ note: 'edited' })
  })
  await server.close()
  return story
}

async function ask(board: BotBoard): Promise<void> {
  const { id, fencingToken } = await claimed(board)
  await board.taskboard.board(board.workspaceId).requestApproval(id, { fencingToken, ...REFUND })
  await board.clock.advance(SECONDS)
}

/** What the bot writes of Slack's markup: bold text, code and links. */
function htmlOf(mrkdwn: string): string {
  return mrkdwn
    .replaceAll(/```\n?([\s\S]*?)```/g, '<pre>$1</pre>')
    .replaceAll(/<(https?:[^<>|]*)\|([^<>]*)>/g, '<a>$2</a>')
    .replaceAll(/(?<!\w)\*([^*\n]+)\*(?!\w)/g, '<b>$1</b>')
}

const STYLE = `
  body { margin: 0; padding: 20px; width: 520px; background: #eef1f6; font: 15px/1.45 'Open Sans', sans-serif; color: #1d2530 }
  article { margin: 0 0 12px; max-width: 430px; width: fit-content }
  article.Ada { margin-left: auto }
  .text { padding: 10px 14px; border-radius: 12px; background: #fff; white-space: pre-wrap; overflow-wrap: anywhere }
  .Ada .text { background: #d9e8ff }
  h2 { margin: 0 4px 3px; font-size: 12px; font-weight: 600; color: #5b6675 }
  .Ada h2 { text-align: right }
  pre { margin: 6px 0; padding: 8px; border-radius: 6px; background: #eef1f6; font: 13px/1.4 monospace; white-space: pre-wrap }
  a { color: #2f5fd0; text-decoration: underline }
  .buttons { display: flex; gap: 6px; margin-top: 6px }
  .buttons span { flex: 1; padding: 7px 12px; border-radius: 8px; background: #fff; border: 1px solid #b9c4d4; text-align: center; font-weight: 600; color: #2f5fd0 }`

function pageOf(story: readonly Shown[]): string {
  const messages = story.map(({ from, html, buttons = [], note }) => {
    const row =
      buttons.length === 0
        ? ''
        : `<div class="buttons">${buttons.map((label) => `<span>${escaped(label)}</span>`).join('')}</div>`
    const title = note === undefined ? from : `${from}, ${note}`
    return `<article class="${from}"><h2>${title}</h2><div class="text">${html.replaceAll(EMOJI, '')}</div>${row}</article>`
  })
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>${messages.join('')}`
}

const browser = await launchBrowser()
try {
  const page = await browser.newPage({ viewport: { width: 560, height: 400 }, deviceScaleFactor: 2 })
  for (const [name, story] of [
    ['telegram', await inTelegram()],
    ['slack', await inSlack()],
  ] as const) {
    await page.setContent(pageOf(story))
    const path = `docs/images/bots-${name}.png`
    await page.screenshot({ path, fullPage: true })
    console.log(path)
  }
} finally {
  await browser.close()
}
