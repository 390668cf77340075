import { baseUrlForm, TaskboardError, textOf, toBaseUrl } from '../errors/index.js'

/** The look and the requirements of links that decide. */
export interface LinkOptions {
  /**
   * Whether a link also asks its person to log in, so that who has the link alone decides nothing and sees nothing. With Taskboard's login, the page
   * asks for the password; with the host's, the browser has to be logged in as the person. Default false.
   */
  readonly requireLogin?: boolean | undefined
  /** With the host's login and `requireLogin`: the page on which people log in. */
  readonly loginUrl?: string | undefined
  /** The name that the pages show: 1 to 100 characters. Default `Taskboard`. */
  readonly name?: string | undefined
  /** The color of their buttons, such as `#0b57d0`. It needs enough contrast to white. Default `#2f6f4f`. */
  readonly color?: string | undefined
}

/** The options with their defaults. */
export interface LinkSettings {
  readonly requireLogin: boolean
  readonly loginUrl: string | null
  readonly name: string
  readonly color: string
}

const COLOR = /^#[0-9a-f]{6}$/i
const name = textOf({ most: 100, isBlankAllowed: false })

/** @throws TaskboardError `INVALID_CONFIG` naming the first option with an invalid value. */
export function resolveLinkOptions(options: LinkOptions = {}): LinkSettings {
  const { requireLogin = false, loginUrl, name: shown = 'Taskboard', color = '#2f6f4f' } = options
  const address = loginUrl === undefined ? null : toBaseUrl(loginUrl)
  const named = name.safeParse(shown)
  for (const [field, isFine, rule] of [
    ['links.requireLogin', typeof requireLogin === 'boolean', 'must be true or false'],
    ['links.loginUrl', loginUrl === undefined || address !== null, `must be ${baseUrlForm}`],
    ['links.name', named.success, 'must be text of 1 to 100 characters'],
    ['links.color', typeof color === 'string' && COLOR.test(color), 'must be a color such as #0b57d0'],
  ] as const) {
    if (!isFine) throw new TaskboardError('INVALID_CONFIG', `${field} ${rule}`, { field })
  }
  return { requireLogin, loginUrl: address, name: named.data ?? shown, color }
}
