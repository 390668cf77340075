import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Json = Readonly<Record<string, unknown>>

/** A message as the server has it. */
export interface SlackPost {
  readonly channel: string
  readonly ts: string
  readonly thread: string | null
  /** The person who alone sees it; null for all. */
  readonly only: string | null
  readonly mrkdwn: string
  /** What people read, without the characters that join words. */
  readonly text: string
  readonly buttons: Readonly<Record<string, { readonly value: string; readonly actionId: string }>>
}

/** What the server answers instead, once. */
export type SlackFault =
  | { readonly method: string; readonly error: string }
  | { readonly method: string; readonly retryAfter: number }

/**
 * A server that speaks the Web API of Slack, written from https://docs.slack.dev: chat.postMessage, chat.update, chat.postEphemeral and
 * chat.getPermalink as forms, errors as `ok: false` with status 200, and 429 with `Retry-After`.
 */
export interface SlackServer {
  readonly url: string
  readonly signingSecret: string
  readonly botToken: string
  readonly posts: readonly SlackPost[]
  readonly calls: Map<string, number>
  readonly faults: SlackFault[]
  /** The headers and the body of a signed request of Slack, at a time. */
  signed(body: string, type: string, at: number, headers?: Readonly<Record<string, string>>): RequestInit
  close(): Promise<void>
}

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5'
const TOKEN = 'xoxb-1234-5678-abcdef'
const MOST_CHARACTERS = 3_000

class Refused extends Error {}

export async function slackServer(): Promise<SlackServer> {
  const posts: SlackPost[] = []
  const calls = new Map<string, number>()
  const faults: SlackFault[] = []

  const answer = createAnswers(posts)

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const method = (request.url ?? '').split('/').at(-1) ?? ''
      calls.set(method, (calls.get(method) ?? 0) + 1)
      const place = faults.findIndex((fault) => fault.method === method)
      const [fault] = place === -1 ? [] : faults.splice(place, 1)
      if (fault !== undefined && 'retryAfter' in fault) {
        response.writeHead(429, { 'retry-after': String(fault.retryAfter) }).end()
        return
      }
      const isKnown = request.headers.authorization === `Bearer ${TOKEN}`
      const form = new URLSearchParams(Buffer.concat(chunks).toString())
      const failed = fault === undefined ? null : { ok: false, error: fault.error }
      const json = isKnown ? (failed ?? answer(method, form)) : { ok: false, error: 'invalid_auth' }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    signingSecret: SECRET,
    botToken: TOKEN,
    posts,
    calls,
    faults,
    signed(body, type, at, headers = {}) {
      const timestamp = String(Math.floor(at / 1_000))
      const signature = createHmac('sha256', SECRET).update(`v0:${timestamp}:${body}`).digest('hex')
      const signing = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${signature}` }
      return { method: 'POST', body, headers: { 'content-type': type, ...signing, ...headers } }
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

interface Section {
  readonly type: string
  readonly text?: { readonly text: string; readonly verbatim?: boolean }
  readonly elements?: readonly {
    readonly text: { readonly text: string }
    readonly value: string
    readonly action_id: string
  }[]
}

/** Blocks as Slack checks them. */
function shownIn(blocks: readonly Json[]): Pick<SlackPost, 'mrkdwn' | 'text' | 'buttons'> {
  const sections = blocks as unknown as readonly Section[]
  const [section, actions] = sections
  const mrkdwn = section?.text?.text ?? ''
  if (mrkdwn === '' || mrkdwn.length > MOST_CHARACTERS || section?.text?.verbatim !== true)
    throw new Refused('invalid_blocks')
  const buttons = (actions?.elements ?? []).map(
    ({ text, value, action_id: actionId }) => [text.text, { value, actionId }] as const,
  )
  return { mrkdwn, text: readable(mrkdwn), buttons: Object.fromEntries(buttons) }
}

/** What people read of mrkdwn of which nothing but ours has a meaning. */
export function readable(mrkdwn: string): string {
  return mrkdwn
    .replaceAll(/<([^<>|]*)\|([^<>]*)>/g, '$2')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll('\u2060', '')
}

function toPost(form: URLSearchParams, ts: string, only: string | null): SlackPost {
  const blocks = JSON.parse(form.get('blocks') ?? '[]') as readonly Json[]
  return { ...shownIn(blocks), channel: form.get('channel') ?? '', ts, thread: form.get('thread_ts'), only }
}

/** What the methods do with what is shown. */
function createAnswers(posts: SlackPost[]): (method: string, form: URLSearchParams) => Json {
  const state = { last: 1_700_000_000 }

  const methods: Readonly<Record<string, (form: URLSearchParams) => Json>> = {
    'chat.postMessage'(form) {
      state.last += 1
      const ts = `${state.last}.000100`
      posts.push(toPost(form, ts, null))
      return { ts, channel: form.get('channel') }
    },
    'chat.postEphemeral'(form) {
      posts.push(toPost(form, 'none', form.get('user')))
      return { message_ts: '1.2' }
    },
    'chat.update'(form) {
      const place = posts.findIndex(
        ({ ts, channel }) => ts === form.get('ts') && channel === form.get('channel'),
      )
      const before = posts[place]
      if (before === undefined) throw new Refused('message_not_found')
      posts[place] = { ...toPost(form, before.ts, null), thread: before.thread }
      return { ts: before.ts }
    },
    'chat.getPermalink': (form) => ({
      permalink: `https://acme.slack.example/p${form.get('message_ts') ?? ''}`,
    }),
  }

  return (method, form) => {
    try {
      const run = methods[method]
      if (run === undefined) throw new Refused('unknown_method')
      return { ok: true, ...run(form) }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return { ok: false, error: error.message }
    }
  }
}
