import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the served model answers: text, or calls of tools with their inputs. */
export type ServedAnswer = string | readonly (readonly [tool: string, input: unknown])[]

/** The body of a request, as far as tests read it. */
export interface ServedRequest {
  readonly model: string
  readonly stream?: boolean
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

export interface OpenAiServer {
  /** With `/v1`. */
  readonly url: string
  readonly requests: readonly ServedRequest[]
  close(): Promise<void>
}

const USAGE = {
  prompt_tokens: 100,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens: 10,
  total_tokens: 110,
}
/** As an answer: the server begins to answer, and stops. */
export const HANGS = 0
/** As an answer: the connection ends without one. */
export const GONE = 1
/** As an answer: the connection ends in the middle of it. */
export const BREAKS = 2

const ENVELOPE = { id: 'chatcmpl-1', created: 0, model: 'tiny' }

/** A server on this machine that speaks the protocol of OpenAI's chat completions, as Ollama does: streamed or whole, with calls of tools. */
export async function openAiServer(
  script: (request: ServedRequest, call: number) => ServedAnswer | number,
): Promise<OpenAiServer> {
  const requests: ServedRequest[] = []
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request)
    const isKnown = request.method === 'POST' && request.url === '/v1/chat/completions'
    const given = isKnown ? script(body, requests.push(body) - 1) : 404
    if (given === HANGS) response.write(' ')
    else if (given === GONE) request.socket.destroy()
    else if (given === BREAKS) breakOff(response)
    else if (typeof given === 'number') sendError(response, given)
    else if (body.stream === true) sendStream(response, given)
    else sendWhole(response, given)
  }
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 })
  response.write(' ', () => response.destroy())
}

async function readJson(request: IncomingMessage): Promise<ServedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as ServedRequest
}

function sendError(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message: `answered ${status}`, type: 'error' } }))
}

function toolCalls(answer: Exclude<ServedAnswer, string>) {
  return answer.map(([name, input], index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
}

function sendWhole(response: ServerResponse, answer: ServedAnswer): void {
  const isText = typeof answer === 'string'
  const message = isText ? { content: answer } : { content: null, tool_calls: toolCalls(answer) }
  const choice = {
    index: 0,
    message: { role: 'assistant', ...message },
    finish_reason: isText ? 'stop' : 'tool_calls',
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ ...ENVELOPE, object: 'chat.completion', choices: [choice], usage: USAGE }))
}

/** Texts and arguments come in pieces of a few characters, as models write them. */
function sendStream(response: ServerResponse, answer: ServedAnswer): void {
  const isText = typeof answer === 'string'
  const deltas = isText
    ? pieces(answer).map((content) => ({ content }))
    : toolCalls(answer).flatMap(({ function: { name, arguments: text }, ...call }) => [
        { tool_calls: [{ ...call, function: { name, arguments: '' } }] },
        ...pieces(text).map((part) => ({
          tool_calls: [{ index: call.index, function: { arguments: part } }],
        })),
      ])
  const chunks = [
    ...[{ role: 'assistant', content: '' }, ...deltas].map((delta) => ({
      choices: [{ index: 0, delta, finish_reason: null }],
    })),
    { choices: [{ index: 0, delta: {}, finish_reason: isText ? 'stop' : 'tool_calls' }] },
    { choices: [], usage: USAGE },
  ]
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const chunk of chunks) {
    response.write(`data: ${JSON.stringify({ ...ENVELOPE, object: 'chat.completion.chunk', ...chunk })}\n\n`)
  }
  response.end('data: [DONE]\n\n')
}

function pieces(text: string): readonly string[] {
  return text.match(/.{1,7}/gs) ?? []
}
