import { hosts } from './hosts.js'

/** What the program that serves the board chooses. */
export interface Setting {
  readonly host: (typeof hosts)[number]['name']
  readonly storage: 'memory' | 'PGlite'
  /** Empty for the root, or a path such as `/deep/kanban`. */
  readonly mountPath: string
  /** `host`: by a cookie of the host's own login. */
  readonly login: 'taskboard' | 'host'
}

const storages = ['memory', 'PGlite'] as const
const logins = ['taskboard', 'host'] as const

/**
 * `DASHBOARD_SETTING=Fastify,PGlite,/deep/kanban,host` runs the tests in a browser on that host, storage, mount path (`/`: none) and login
 * in place of those that each file chooses. No test is left out: one that is about a certain value, such as the page of Taskboard's login,
 * pins that value alone.
 */
const everywhere = parse(process.env['DASHBOARD_SETTING'] ?? '')

/** The setting that a file chose, or that of the variable, and what a test pins. */
export function settingFor(chosen: Setting, pinned: Partial<Setting> = {}): Setting {
  return { ...(everywhere ?? chosen), ...pinned }
}

/** All of them, or that of the variable. */
export function settingsFor(chosen: readonly Setting[], pinned: Partial<Setting> = {}): readonly Setting[] {
  return (everywhere === null ? chosen : [everywhere]).map((one) => ({ ...one, ...pinned }))
}

/** For tests that run with each login, or with that of the variable. */
export const eachLogin: readonly Setting['login'][] = everywhere === null ? logins : [everywhere.login]

function parse(variable: string): Setting | null {
  if (variable === '') return null
  const [host, storage, path, login] = variable.split(',').map((part) => part.trim())
  const mountPath = path === '/' ? '' : path
  if (mountPath === undefined || !/^(?:\/[\w-]+)*$/.test(mountPath))
    throw new Error(`DASHBOARD_SETTING: ${path} is no mount path`)
  return {
    host: oneOf(
      hosts.map(({ name }) => name),
      host,
    ),
    storage: oneOf(storages, storage),
    mountPath,
    login: oneOf(logins, login),
  }
}

function oneOf<T extends string>(known: readonly T[], given: string | undefined): T {
  const found = known.find((each) => each === given)
  if (found === undefined)
    throw new Error(`DASHBOARD_SETTING: ${given} is none of ${known.map(String).join(', ')}`)
  return found
}
