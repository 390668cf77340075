import { type TaskboardClient, createClient, type WebSocketConstructor } from '@taskboard/client'
import type { Readable } from 'node:stream'
import { readConfig, type Environment } from './config-file.js'
import { refreshSession } from './session.js'
import { CliError } from './cli-error.js'
import { createOutput, type Output } from './output/output.js'
import type { TextStream } from './output/text-stream.js'
import { type RawResponse, sendRequest } from './raw-request.js'
import { createPrompts, type Prompts, type PromptStream } from './prompts.js'
import { WebSocket } from 'ws'

/** What surrounds the program. */
export interface CliHost {
  readonly env: Environment
  readonly stdin: Readable & PromptStream
  readonly stdout: TextStream
  readonly stderr: TextStream
  /** Calls `listener` at each Ctrl-C or signal to end, from now on, instead of stopping the process. Returns how to stop that. */
  onInterrupt(listener: () => void): () => void
}

/** What commands use. */
export interface Cli extends Prompts {
  readonly env: Environment
  readonly output: Output
  /** The server's address, without a slash at its end. */
  url(): Promise<string>
  /** A client with the key of the environment, or else the stored one. */
  client(): Promise<TaskboardClient>
  /** The same for a program or a model, which needs a key: the session of a person is rejected. */
  agentClient(): Promise<TaskboardClient>
  /** A client with this credential, or without one. */
  clientWith(credential: Credential): Promise<TaskboardClient>
  /** Sends a request with that key. `value` is the JSON of the response; undefined when it is something else. Rejects with the error that it tells. */
  request(method: string, path: string, body?: string): Promise<RawResponse>
  /** All of standard input. */
  readInput(): Promise<string>
  readonly stdin: Readable
  /** From now on Ctrl-C and signals abort it, the first time. The second time, `again` is called; without that, it stops the process. */
  interrupted(again?: () => void): AbortSignal
}

export interface CliOptions {
  readonly url?: string | undefined
  readonly json?: boolean | undefined
  readonly color?: boolean | undefined
  readonly timeout?: string | undefined
  readonly insecure?: boolean | undefined
}

const DEFAULT_URL = 'http://127.0.0.1:3000'

/** Someone waits for the answer. */
const DEFAULT_TIMEOUT_MS = 10_000

function timeoutMs(seconds: string | undefined): number {
  if (seconds === undefined) return DEFAULT_TIMEOUT_MS
  if (/^\d{1,4}$/.test(seconds) && Number(seconds) >= 1 && Number(seconds) <= 3600)
    return Number(seconds) * 1_000
  throw new CliError('usage', '--timeout must be a whole number of seconds from 1 to 3600')
}

export function createCli(host: CliHost, options: CliOptions): Cli & { close(): void } {
  const { env, stdin, stdout, stderr } = host
  const cleanUps: (() => void)[] = []
  const output = createOutput({
    stdout,
    stderr,
    isJson: options.json === true,
    isColoured: options.color !== false && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
  })

  const { url, client, agentClient, clientWith, request } = createConnections(env, options, output)

  return {
    env,
    output,
    stdin,
    ...createPrompts(stdin, stderr),
    url,
    client,
    agentClient,
    clientWith,
    request,
    async readInput() {
      let text = ''
      for await (const chunk of stdin.setEncoding('utf8')) text += chunk as string
      return text
    },
    interrupted(again) {
      const abort = new AbortController()
      const stop = host.onInterrupt(() => {
        if (abort.signal.aborted) again?.()
        else if (again === undefined) stop()
        abort.abort(new CliError('interrupted', 'interrupted'))
      })
      cleanUps.push(stop)
      return abort.signal
    },
    close() {
      for (const cleanUp of cleanUps) cleanUp()
    },
  }
}

/** The ways to the server, each with the credential that the call needs. */
function createConnections(
  env: CliHost['env'],
  options: CliOptions,
  output: Cli['output'],
): Pick<Cli, 'url' | 'client' | 'agentClient' | 'clientWith' | 'request'> {
  let isWarned = false

  async function url(): Promise<string> {
    const given = options.url ?? (env['TASKBOARD_URL']?.trim() || undefined)
    return serverAddress(given ?? (await readConfig(env)).current ?? DEFAULT_URL)
  }

  function requireSecure(baseUrl: string): void {
    if (!isOpenToOthers(baseUrl)) return
    const risk = 'is not encrypted and exposes keys and passwords to the network'
    if (options.insecure !== true) throw new CliError('usage', `${baseUrl} ${risk}; use https, or --insecure`)
    if (!isWarned) output.note(`warning: ${baseUrl} ${risk}`)
    isWarned = true
  }

  async function clientWith(credential: Credential): Promise<TaskboardClient> {
    const baseUrl = await url()
    const deadlineMs = timeoutMs(options.timeout)
    requireSecure(baseUrl)
    return connect(baseUrl, { ...credential, deadlineMs })
  }

  /** Null for the session of a person. */
  async function keyFor(baseUrl: string): Promise<string | null> {
    const given = env['TASKBOARD_KEY']?.trim()
    if (given) return given
    const stored = (await readConfig(env)).servers[baseUrl]
    if (stored !== undefined) return 'key' in stored ? stored.key : null
    throw new CliError(
      'refused',
      `there is no key for ${baseUrl}: run \`taskboard login\`, or set TASKBOARD_KEY`,
    )
  }

  const sessions = new Map<string, Promise<string>>()

  /** An access token of the stored session, for this call of the program. */
  function accessTokenFor(baseUrl: string): Promise<string> {
    const known = sessions.get(baseUrl) ?? refreshSession(env, baseUrl, () => clientWith({}))
    sessions.set(baseUrl, known)
    return known
  }

  async function client(): Promise<TaskboardClient> {
    const baseUrl = await url()
    const key = await keyFor(baseUrl)
    return clientWith(key === null ? { token: () => accessTokenFor(baseUrl) } : { key })
  }

  return {
    url,
    client,
    clientWith,
    async agentClient() {
      if ((await keyFor(await url())) !== null) return client()
      throw new CliError(
        'usage',
        'a program cannot act as you: use an API key from TASKBOARD_KEY or `taskboard login`',
      )
    },
    async request(method, path, body) {
      const baseUrl = await url()
      const key = (await keyFor(baseUrl)) ?? (await accessTokenFor(baseUrl))
      requireSecure(baseUrl)
      return sendRequest(`${baseUrl}${path}`, { method, key, body, deadlineMs: timeoutMs(options.timeout) })
    },
  }
}

/** The URL of a server, always written in the same way: keys are stored by it. */
export function serverAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new CliError('usage', 'the server URL must look like https://app.example/kanban')
  }
  if (url.username !== '' || url.password !== '') {
    throw new CliError('usage', 'the server URL must not contain a user or password')
  }
  return url.href.replace(/\/+$/, '')
}

/** Whether what is sent can be read on the way. */
export function isOpenToOthers(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

interface Credential {
  readonly key?: string
  readonly token?: () => string | Promise<string>
}

/** A client of the server at `baseUrl`. Node.js 20 has no WebSocket. */
function connect(
  baseUrl: string,
  { key, token, deadlineMs }: Credential & { readonly deadlineMs: number },
): TaskboardClient {
  const settings = {
    baseUrl,
    WebSocket: WebSocket as unknown as WebSocketConstructor,
    retry: { deadlineMs },
  }
  if (key !== undefined) return createClient({ ...settings, key })
  return token === undefined ? createClient(settings) : createClient({ ...settings, token })
}
