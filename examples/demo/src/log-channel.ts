import { type NotificationType, TaskboardError } from '@taskboard/core'

/**
 * A type of notification channel that needs no service: each notification is a line in the terminal of the server. A channel keeps nothing,
 * so that nothing grows.
 */
export function logChannel(print: (text: string) => void, now: () => number = Date.now): NotificationType {
  return {
    name: 'log',
    label: 'Terminal of the server',
    secrets: [],
    fields: {},
    parseConfig(config) {
      const [unknown] = Object.keys(config)
      if (unknown === undefined) return {}
      throw new TaskboardError('INVALID_FIELD', `${unknown} is not known: the configuration is empty`, {
        field: unknown,
      })
    },
    deliver({ channel, text, isTest }) {
      const test = isTest ? 'test: ' : ''
      const line = `${new Date(now()).toISOString()} notification   [${channel.name}] ${test}${text}`
      // Names and titles are other people's text, so control characters go.
      print(line.replaceAll(/\p{C}/gu, ''))
      return Promise.resolve()
    },
  }
}
