import { expect, it } from 'vitest'
import { createSigningKeyCache } from './signing-keys.js'

function counted(): { opened: string[]; open(sealed: string, context: string): string } {
  const opened: string[] = []
  return {
    opened,
    open(sealed, context) {
      opened.push(`${context} ${sealed}`)
      return `secret of ${sealed}`
    },
  }
}

it('opens a secret once, for its workspace', () => {
  const box = counted()
  const openKeys = createSigningKeyCache(box)
  const secrets = ['new', 'old']
  const first = openKeys({ workspaceId: 'ws_1', secrets })
  expect(openKeys({ workspaceId: 'ws_1', secrets })).toEqual(first)
  expect(first).toHaveLength(2)
  expect(openKeys({ workspaceId: 'ws_1', secrets: ['new'] })).toEqual(first.slice(0, 1))
  expect(box.opened).toEqual(['webhook:ws_1 new', 'webhook:ws_1 old'])
  openKeys({ workspaceId: 'ws_2', secrets })
  expect(box.opened.at(-1)).toBe('webhook:ws_2 old')
})

it('forgets the oldest of more than a few thousand', () => {
  const box = counted()
  const openKeys = createSigningKeyCache(box)
  const of = (index: number) => ({
    workspaceId: 'ws_1',
    secrets: [String(index)],
  })
  for (let index = 0; index <= 4_096; index++) openKeys(of(index))
  openKeys(of(4_096))
  expect(box.opened).toHaveLength(4_097)
  openKeys(of(0))
  expect(box.opened).toHaveLength(4_098)
})
