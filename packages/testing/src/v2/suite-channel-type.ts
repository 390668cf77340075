import { TaskboardError, type NotificationType } from '@taskboard/core'

/** The type of notification channel that the suite's task boards know. */
export const SUITE_CHANNEL_TYPE = 'conformance'

interface SuiteConfig {
  readonly room: string
  /** Secret. Without it, a delivery succeeds and goes nowhere. */
  readonly url?: string
}

/** Posts to its URL. Its errors contain the secret, which must not get out. */
export const suiteChannelType: NotificationType<SuiteConfig> = {
  name: SUITE_CHANNEL_TYPE,
  label: 'Conformance',
  secrets: ['url'],
  fields: {
    room: { label: 'Room', hint: 'Who hears of it' },
    url: { label: 'URL', kind: 'url', optional: true },
  },
  parseConfig({ room, url, ...others }, { refuseUrl }) {
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) throw refused(unknown, 'is not known')
    if (typeof room !== 'string') throw refused('room', 'must be text')
    if (url === undefined) return { room }
    if (typeof url !== 'string') throw refused('url', 'must be text')
    const reason = refuseUrl(url)
    if (reason !== null) throw refused('url', reason)
    return { room, url }
  },
  async deliver({ text, event, isTest }, { room, url }, { post }) {
    if (url === undefined) return
    const body = JSON.stringify({ room, text, type: event.type, id: event.id, seq: event.seq, isTest })
    const sent = await post({ url, headers: { 'content-type': 'application/json' }, body })
    if (sent.kind !== 'answered' || sent.status >= 300) {
      const why = sent.kind === 'answered' ? `HTTP ${sent.status} ${sent.excerpt}` : sent.kind
      throw new Error(`${url} did not take it: ${why}`)
    }
  },
}

function refused(field: string, rule: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', `${field} ${rule}`, { field })
}
