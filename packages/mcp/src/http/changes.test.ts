import { describe, expect, it } from 'vitest'
import { ChangeFeed, changesOf } from './changes.js'

/** A feed with a listener that has got these addresses. */
function openFeed() {
  const feed = new ChangeFeed()
  const got: string[] = []
  feed.subscribe((event) => {
    if (event.kind === 'resource_updated') got.push(event.uri)
  })
  const publish = (uri: string) => feed.publish({ kind: 'resource_updated', uri })
  return { feed, got, publish }
}

describe('the feed of a subscription', () => {
  it('holds back what a slow reader has not read, once for each address', () => {
    const { feed, got, publish } = openFeed()
    const uris = Array.from({ length: 300 }, (_, index) => `task://${index}`)
    for (const uri of [...uris, ...uris, ...uris]) publish(uri)
    const sent = got.length
    expect(sent).toBeLessThanOrEqual(100)
    for (let reads = 0; reads < 1_000; reads += 1) feed.wasRead()
    expect(new Set(got)).toEqual(new Set(uris))
    expect(got.length).toBeLessThanOrEqual(sent + uris.length)
  })

  it('sends what came before its listener, and nothing after that has left', () => {
    const feed = new ChangeFeed()
    feed.publish({ kind: 'resource_updated', uri: 'task://early' })
    const got: string[] = []
    const leave = feed.subscribe((event) => got.push(event.kind))
    expect(got).toHaveLength(1)
    leave()
    feed.publish({ kind: 'resource_updated', uri: 'task://late' })
    expect(got).toHaveLength(1)
  })

  it('takes each wanted address for changed after a gap', () => {
    const wanted = new Set(['task://a', 'board://b'])
    const gap = { type: 'gap', channel: 'tasks', workspace_id: 'other', from: 1, to: 2 } as never
    expect(changesOf(gap, wanted)).toEqual([...wanted])
  })
})
