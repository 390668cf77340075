/** The server and the credential. */
export interface ServerAccess {
  /** For example `http://127.0.0.1:3000`, without a trailing slash. */
  readonly url: string
  /** An API key, or an access token. */
  readonly key: string
}

const DEFAULT_URL = 'http://127.0.0.1:3000'

/** Reads TASKBOARD_URL and TASKBOARD_KEY. @throws Error with a readable message when they are invalid. */
export function readAccess(env: Readonly<Record<string, string | undefined>>): ServerAccess {
  const url = env['TASKBOARD_URL']?.trim() || DEFAULT_URL
  const key = env['TASKBOARD_KEY']?.trim() ?? ''
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Error(`TASKBOARD_URL must be the address of a server, such as ${DEFAULT_URL}`)
  }
  if (key === '') throw new Error('TASKBOARD_KEY must hold an API key: npm start prints one')
  return { url: url.replace(/\/+$/, ''), key }
}
