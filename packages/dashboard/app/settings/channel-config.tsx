import type { NotificationChannel } from '../state/wire.js'
import { sectionsText } from '../texts/sections.js'

/** The types that have a form of their own. The host registers these, others, or none. */
const knownTypes = ['slack', 'discord', 'email'] as const
type KnownType = (typeof knownTypes)[number]

export const isKnownType = (type: string): type is KnownType => knownTypes.some((known) => known === type)

/** The name of a type for people. */
export const nameOfType = (type: string): string =>
  isKnownType(type) ? sectionsText.channels.types[type] : type

/** What a form holds of a channel's configuration. */
export interface ConfigDraft {
  /** Of Slack and Discord. Empty: the present one. */
  readonly url: string
  /** Of e-mail, one a line. */
  readonly to: string
  /** Of other types. */
  readonly json: string
}

/** The form of a configuration, which has no secrets. */
export function draftOf(channel: NotificationChannel | null): ConfigDraft {
  const config = channel?.config ?? {}
  const to = config['to']
  return {
    url: '',
    to: Array.isArray(to) ? to.join('\n') : typeof to === 'string' ? to : '',
    json: JSON.stringify(config, null, 2),
  }
}

/** The configuration of the wire. @throws Error for JSON that is none */
export function configOf(type: string, draft: ConfigDraft): Readonly<Record<string, unknown>> {
  if (type === 'slack' || type === 'discord') return draft.url === '' ? {} : { url: draft.url.trim() }
  if (type === 'email') {
    return {
      to: draft.to
        .split(/[\n,;]/)
        .map((address) => address.trim())
        .filter((address) => address !== ''),
    }
  }
  try {
    const parsed: unknown = JSON.parse(draft.json)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      return parsed as Readonly<Record<string, unknown>>
    }
  } catch {
    // Said below.
  }
  throw new Error(sectionsText.channels.badJson)
}
