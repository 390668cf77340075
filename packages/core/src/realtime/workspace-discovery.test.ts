import { virtualClock } from '@taskboard/testing'
import { expect, it } from 'vitest'
import { createEnvironment } from '../environment/index.js'
import { createWorkspaceDiscovery } from './workspace-discovery.js'

/** Each account `x` has the workspaces `ws_x1`, `ws_x2` and so on. */
function setUp() {
  const clock = virtualClock()
  const storage = { isDown: false }
  const discovery = createWorkspaceDiscovery(createEnvironment({ clock, logger: false }), {
    async listWorkspaces(which) {
      if (storage.isDown) throw new Error('down')
      const id = 'workspaceId' in which ? which.workspaceId : ''
      return [{ id, accountId: id.slice(3, 4), name: id, createdAt: 0 }]
    },
  })
  const observe = (accountId: string): readonly string[] => {
    const found: string[] = []
    discovery.add({ accountId, found: (workspaceId) => found.push(workspaceId) })
    return found
  }
  discovery.start()
  return { clock, storage, discovery, observe }
}

it('shows a new workspace to those who follow its account, and to nobody else', async () => {
  const { clock, discovery, observe } = setUp()
  const [ofA, ofB] = [observe('a'), observe('b')]
  discovery.seen('ws_a1')
  discovery.seen('ws_a1')
  await clock.settle()
  expect([ofA, ofB]).toEqual([['ws_a1'], []])
  await discovery.stop()
})

it('finds a new workspace although the storage was down when its first event came', async () => {
  const { clock, storage, discovery, observe } = setUp()
  const found = observe('a')
  storage.isDown = true
  discovery.seen('ws_a1')
  await clock.advance({ seconds: 10 })
  expect(found).toEqual([])
  storage.isDown = false
  await clock.advance({ seconds: 10 })
  expect(found).toEqual(['ws_a1'])
  await discovery.stop()
})
