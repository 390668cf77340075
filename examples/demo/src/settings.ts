import { resolve } from 'node:path'

/** A language model behind an endpoint that speaks OpenAI's protocol, such as one of Ollama. */
export interface ModelSettings {
  /** With the version: `http://127.0.0.1:11434/v1`. */
  readonly url: string
  readonly name: string
  /** The endpoint's key; null for an endpoint without. */
  readonly key: string | null
  /** The cost in dollars per million tokens; null when it is unknown, so that budgets in dollars don't count it. */
  readonly price: { readonly inputUsd: number; readonly outputUsd: number } | null
}

/** The demo's settings from the environment. */
export interface DemoSettings {
  readonly host: string
  readonly port: number
  /** Networks that aren't public, but to which webhooks may be sent. */
  readonly webhookAllow: readonly string[]
  /** Whether the demo's own agent works on the tasks. Without it they wait for workers that claim them over HTTP. */
  readonly runsAgent: boolean
  /** The language model that works on the tasks in place of the checklist agent; null for none. */
  readonly model: ModelSettings | null
  /** The bot of Telegram, and the server of the Bot API; null for no bot. */
  readonly telegram: { readonly token: string; readonly apiUrl: string | undefined } | null
  /** Whether a new board begins with sample tasks. */
  readonly addsSamples: boolean
  /** How long the agent works on each line of a checklist. */
  readonly stepMs: number
  /** How long requests and runs may continue after a signal to stop. */
  readonly drainMs: number
  /** Absolute. Where PGlite's files are, and the encryption key unless it is given. */
  readonly dataDirectory: string
  /** The PostgreSQL to use instead of PGlite, or null. It may contain a password. */
  readonly databaseUrl: string | null
  /** The key that encrypts webhook secrets, or null for the key in the data directory. */
  readonly encryptionKey: string | null
  /** The user who may log in; null for the demo's default. */
  readonly ownerEmail: string | null
  readonly ownerPassword: string | null
}

/** A variable whose value can't be used. The message names it. */
export class SettingError extends Error {
  constructor(variable: string, rule: string, cause?: unknown) {
    super(`${variable} ${rule}`, { cause })
    this.name = 'SettingError'
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads and checks the settings; what is absent or empty has its default. @throws SettingError */
export function readSettings(env: Environment): DemoSettings {
  return {
    host: readHost(env),
    port: readWhole(env, 'PORT', 3_000, 65_535),
    webhookAllow: readList(env, 'TASKBOARD_WEBHOOK_ALLOW'),
    runsAgent: readSwitch(env, 'TASKBOARD_AGENT'),
    model: readModel(env),
    telegram: readTelegram(env),
    addsSamples: readSwitch(env, 'TASKBOARD_SAMPLES'),
    stepMs: readWhole(env, 'TASKBOARD_STEP_MS', 300, 60_000),
    drainMs: readWhole(env, 'TASKBOARD_DRAIN_MS', 10_000, 600_000),
    dataDirectory: resolve(env['TASKBOARD_DATA']?.trim() || '.taskboard'),
    databaseUrl: readDatabaseUrl(env),
    encryptionKey: env['TASKBOARD_ENCRYPTION_KEY']?.trim() || null,
    ownerEmail: env['TASKBOARD_OWNER_EMAIL']?.trim() || null,
    ownerPassword: env['TASKBOARD_OWNER_PASSWORD'] || null,
  }
}

function readTelegram(env: Environment): DemoSettings['telegram'] {
  const token = env['TASKBOARD_TELEGRAM_TOKEN']?.trim() || null
  if (token === null) return null
  if (!/^\d+:[\w-]{10,}$/.test(token)) {
    throw new SettingError('TASKBOARD_TELEGRAM_TOKEN', 'must be the token that @BotFather gives')
  }
  const apiUrl = env['TASKBOARD_TELEGRAM_API']?.trim() || undefined
  if (apiUrl === undefined || URL.canParse(apiUrl)) return { token, apiUrl }
  throw new SettingError('TASKBOARD_TELEGRAM_API', 'must be the address of a server of the Bot API')
}

function readHost(env: Environment): string {
  const host = env['HOST']?.trim() || '127.0.0.1'
  if (/^[\w.:%-]{1,253}$/.test(host)) return host
  throw new SettingError('HOST', 'must be a host name or an IP address, such as 127.0.0.1')
}

/** The message doesn't contain the value, which may contain a password. */
function readDatabaseUrl(env: Environment): string | null {
  const url = env['DATABASE_URL']?.trim()
  if (url === undefined || url === '') return null
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return url
  throw new SettingError(
    'DATABASE_URL',
    'must be a URL such as postgres://user:password@127.0.0.1:5432/board',
  )
}

/** The messages don't contain the URL, which may contain a password. */
function readModel(env: Environment): ModelSettings | null {
  const url = env['TASKBOARD_MODEL_URL']?.trim() || null
  const name = env['TASKBOARD_MODEL']?.trim() || null
  const price = readPrice(env)
  if (url === null && name === null) {
    if (price !== null) throw new SettingError(PRICE, 'must be set together with TASKBOARD_MODEL')
    return null
  }
  if (url === null) throw new SettingError('TASKBOARD_MODEL_URL', 'must be set together with TASKBOARD_MODEL')
  if (name === null)
    throw new SettingError('TASKBOARD_MODEL', 'must be set together with TASKBOARD_MODEL_URL')
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new SettingError('TASKBOARD_MODEL_URL', 'must be a URL such as http://127.0.0.1:11434/v1')
  }
  return { url, name, key: env['TASKBOARD_MODEL_KEY']?.trim() || null, price }
}

const PRICE = 'TASKBOARD_MODEL_PRICE'

function readPrice(env: Environment): ModelSettings['price'] {
  const text = env[PRICE]?.trim() || null
  if (text === null) return null
  const [, input, output] = /^(\d{1,4}(?:\.\d{1,6})?) *\/ *(\d{1,4}(?:\.\d{1,6})?)$/.exec(text) ?? []
  if (input !== undefined && output !== undefined) {
    return { inputUsd: Number(input), outputUsd: Number(output) }
  }
  throw new SettingError(
    PRICE,
    'must be two numbers such as 0.25/2: dollars for a million tokens of input, and of output',
  )
}

function readWhole(env: Environment, variable: string, absent: number, most: number): number {
  const text = env[variable]?.trim()
  if (text === undefined || text === '') return absent
  if (/^\d{1,7}$/.test(text) && Number(text) <= most) return Number(text)
  throw new SettingError(variable, `must be a whole number from 0 to ${most}`)
}

/** On unless it is switched off. */
function readSwitch(env: Environment, variable: string): boolean {
  const text = env[variable]?.trim() || 'on'
  if (text === 'on' || text === 'off') return text === 'on'
  throw new SettingError(variable, 'must be on or off')
}

function readList(env: Environment, variable: string): readonly string[] {
  return (env[variable] ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
