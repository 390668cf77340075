import type { BotBoard } from './bot-board.js'
import type { SlackPost, SlackServer } from './slack-server.js'

export const URL_OF_BOT = 'https://app.example/bots/slack'

const FORM = 'application/x-www-form-urlencoded'
const SECONDS = { seconds: 2 }

/** Somebody with an account of Slack. */
export interface SlackPerson {
  /** Sends `/task` and resolves with what it is answered. */
  command(text: string, channel?: string): Promise<string>
  event(
    event: Readonly<Record<string, unknown>>,
    id: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>
  press(post: Pick<SlackPost, 'channel' | 'ts' | 'buttons'>, label: string, at?: string): Promise<Response>
}

/** A person of a server, whose requests come to the board. */
export function slackPerson(server: SlackServer, { clock, handle }: BotBoard, user: string): SlackPerson {
  let number = 0

  async function send(body: string, type: string, headers: Readonly<Record<string, string>> = {}) {
    const response = await handle(new Request(URL_OF_BOT, server.signed(body, type, clock.now(), headers)))
    await clock.advance(SECONDS)
    return response
  }

  return {
    async command(text, channel = 'C1') {
      number += 1
      const fields = {
        command: '/task',
        text,
        user_id: user,
        user_name: user,
        channel_id: channel,
        channel_name: 'ops',
        trigger_id: `${user}.${number}`,
      }
      const response = await send(new URLSearchParams(fields).toString(), FORM)
      if (response.status !== 200) throw new Error(`/task ${text} was answered with ${response.status}`)
      return response.text()
    },
    event(event, id, headers) {
      const whole = { type: 'event_callback', event_id: id, event: { type: 'message', user, ...event } }
      return send(JSON.stringify(whole), 'application/json', headers)
    },
    press({ channel, ts, buttons }, label, at = `${(number += 1)}.0`) {
      const { value, actionId } = buttons[label] ?? { value: 'none', actionId: 'none' }
      const payload = {
        type: 'block_actions',
        user: { id: user, username: user },
        channel: { id: channel, name: 'ops' },
        message: { ts },
        actions: [{ action_id: actionId, value, action_ts: at }],
      }
      return send(new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), FORM)
    },
  }
}

/** Links somebody to a user of the board and connects the channel `C1`, as a person does both. */
export async function linkedInSlack(server: SlackServer, board: BotBoard): Promise<SlackPerson> {
  const person = slackPerson(server, board, 'U1')
  const direct = 'DU1'
  const offer = JSON.parse(await person.command(`connect ${await board.codeFor(board.ada)}`, direct)) as {
    blocks: { elements?: { value: string; action_id: string }[] }[]
  }
  const [accept] = offer.blocks[1]?.elements ?? []
  const buttons = { Link: { value: accept?.value ?? '', actionId: accept?.action_id ?? '' } }
  await person.press({ channel: direct, ts: '1.1', buttons }, 'Link')
  const said = server.posts.findLast(({ channel }) => channel === direct)?.text
  if (said?.includes(`Linked to ${board.ada.id}`) !== true) throw new Error(`not linked: ${said}`)
  const [workspace] = await board.taskboard.accounts.listWorkspaces(board.accountId)
  const connected = await person.command(`connect ${workspace?.name ?? ''}`)
  if (!connected.includes('Tasks of this conversation go to')) throw new Error(`not connected: ${connected}`)
  return person
}
