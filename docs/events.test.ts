import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { eventKinds, realtimeEventTypes, webhookEventTypes } from '../packages/core/src/events/catalog.js'

const typesIn = (text: string): string[] =>
  [...text.matchAll(/`((?:task|approval|agent|email|order)\.\w+)`/g)].map(([, type = '']) => type)

/** The types in the first column of the page's table with that header, and in no other text. */
function firstColumn(page: string, header: string): string[] {
  const text = readFileSync(new URL(page, import.meta.url), 'utf8')
  const [, after] = text.split(`\n| ${header}`)
  const [table = ''] = (after ?? '').split('\n\n')
  return table.split('\n').flatMap((row) => typesIn(row.split(' | ')[0] ?? ''))
}

describe('the tables of events', () => {
  it('of webhooks.md has every type that a webhook can subscribe to, and no other', () => {
    expect(firstColumn('webhooks.md', 'Event |').toSorted()).toEqual(webhookEventTypes.toSorted())
  })

  it('of realtime-protocol.md has every type that the channel sends, and no other', () => {
    // Lines of logs are sent, and are no events.
    const sent = [...realtimeEventTypes, 'task.log']
    expect(firstColumn('realtime-protocol.md', 'type | fields |\n').toSorted()).toEqual(sent.toSorted())
  })

  it('of notifications.md has every type that a channel receives, and no other', () => {
    const page = readFileSync(new URL('notifications.md', import.meta.url), 'utf8')
    const [, sentence = ''] = /A channel receives ([^]*?)\. /.exec(page) ?? []
    const notified = Object.entries(eventKinds).filter(([, { notifications }]) => notifications)
    expect(typesIn(sentence).toSorted()).toEqual(notified.map(([type]) => type).toSorted())
  })
})
