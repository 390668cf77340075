/** Which server to talk to, and as whom. */
export interface ServerAccess {
  /** As in `http://127.0.0.1:3000`, without a slash at the end. */
  readonly url: string
  /** An API key, or an access token. */
  readonly key: string
}

const DEFAULT_URL = 'http://127.0.0.1:3000'

/** Reads TASKBOARD_URL and TASKBOARD_KEY. @throws Error for people when they cannot be used. */
export function readAccess(env: Readonly<Record<string, string | undefined>>): ServerAccess {
  const url = env['TASKBOARD_URL']?.trim() || DEFAULT_URL
  const key = env['TASKBOARD_KEY']?.trim() ?? ''
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Error(`TASKBOARD_URL must be the address of a server, such as ${DEFAULT_URL}`)
  }
  if (key === '') throw new Error('TASKBOARD_KEY must hold an API key: npm start prints one')
  return { url: url.replace(/\/+$/, ''), key }
}
