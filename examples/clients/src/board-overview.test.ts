import { describe, expect, it } from 'vitest'
import { drawOverview } from './board-overview.js'

describe('drawOverview', () => {
  it('draws the columns, the agents and the figures, in text that steers no terminal', () => {
    const task = { id: 'task_1', title: 'Plan\u001B[31m', progress: 40, estimatedCompletion: null }
    const agent = { name: 'Ada', type: 'research' }
    const until = '2026-11-21T12:00:00.000Z'
    const drawn = drawOverview({
      name: 'Demo',
      waiting: { edges: [] },
      underWay: { edges: [{ node: { ...task, agent, estimatedCompletion: until } }] },
      done: { edges: [{ node: { ...task, agent: null, progress: 100, estimatedCompletion: until } }] },
      agents: [{ id: 'agent_1', name: 'Ada', status: 'BUSY', currentWorkload: 1 }],
      analytics: { tasksCompleted: 3, timesSaved: 1.49, successRate: 2 / 3 },
    })
    expect(drawn.split('\n')).toEqual([
      'Demo',
      '  Waiting',
      '    nothing',
      '  In progress',
      `    Plan[31m (task_1), 40 %, Ada (research), until ${until}`,
      '  Done',
      '    Plan[31m (task_1), 100 %',
      '  Agents',
      '    Ada: busy, 1 to do',
      '  Last 7 days: 3 done (67 % of what ended), 1.49 hours saved',
    ])
  })
})
