import { TaskboardError } from '@taskboard/core'

/** A server of a connection string. */
export interface Host {
  readonly host: string
  readonly port: number
}

/** What a connection string with several hosts says. */
export interface HostList {
  readonly hosts: readonly Host[]
  /** The connection string of the first host alone. */
  readonly first: string
  /** Which of the servers to connect to. */
  readonly target: 'primary' | 'standby'
}

const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]+)([^?#]*)\??([^#]*)$/
const HOST = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/
const DEFAULT_PORT = 5432
const TARGETS: Readonly<Record<string, HostList['target']>> = {
  'read-write': 'primary',
  primary: 'primary',
  standby: 'standby',
}

/**
 * Reads `postgres://user@host1:5432,host2/database?target_session_attrs=read-write`, as libpq does.
 * @throws TaskboardError `INVALID_CONFIG`
 */
export function readHosts(connectionString: string): HostList {
  const [, start = '', list, path = '', query] = URL_PARTS.exec(connectionString) ?? []
  if (list === undefined) throw invalid('must begin with postgres:// and name at least one host')
  const hosts = list.split(',').map(readHost)
  const parameters = new URLSearchParams(query)
  const named = parameters.get('target_session_attrs') ?? 'read-write'
  const target = TARGETS[named]
  if (target === undefined)
    throw invalid(`has another target_session_attrs than ${Object.keys(TARGETS).join(', ')}`)
  parameters.delete('target_session_attrs')
  const rest = parameters.size === 0 ? '' : `?${parameters.toString()}`
  return { hosts, target, first: `${start}${list.split(',', 1)[0]}${path}${rest}` }
}

function readHost(text: string): Host {
  const [, host, port = DEFAULT_PORT] = HOST.exec(text) ?? []
  if (host === undefined) throw invalid(`names a host that is not one: ${text}`)
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}

function invalid(what: string): TaskboardError {
  return new TaskboardError('INVALID_CONFIG', `connectionString ${what}`, { field: 'connectionString' })
}
