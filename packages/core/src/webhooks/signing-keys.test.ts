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

it('opens a secret once, for its workspace, and leaves out those that have ended', () => {
  const box = counted()
  const openKeys = createSigningKeyCache(box)
  const secrets = [
    { sealed: 'new', expiresAt: null },
    { sealed: 'old', expiresAt: 10 },
  ]
  const first = openKeys({ workspaceId: 'ws_1', secrets }, 9)
  expect(openKeys({ workspaceId: 'ws_1', secrets }, 9)).toEqual(first)
  expect(first).toHaveLength(2)
  expect(openKeys({ workspaceId: 'ws_1', secrets }, 10)).toEqual(first.slice(0, 1))
  expect(box.opened).toEqual(['webhook:ws_1 new', 'webhook:ws_1 old'])
  openKeys({ workspaceId: 'ws_2', secrets }, 10)
  expect(box.opened.at(-1)).toBe('webhook:ws_2 new')
})

it('forgets the oldest of more than a few thousand', () => {
  const box = counted()
  const openKeys = createSigningKeyCache(box)
  const of = (index: number) => ({
    workspaceId: 'ws_1',
    secrets: [{ sealed: String(index), expiresAt: null }],
  })
  for (let index = 0; index <= 4_096; index++) openKeys(of(index), 0)
  openKeys(of(4_096), 0)
  expect(box.opened).toHaveLength(4_097)
  openKeys(of(0), 0)
  expect(box.opened).toHaveLength(4_098)
})
