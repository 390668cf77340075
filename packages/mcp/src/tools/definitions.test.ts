import { describe, expect, it } from 'vitest'
import { definitionsFor } from './definitions.js'
import { toolSets } from './tool.js'

const all = definitionsFor(toolSets, null)
const namesFor = (
  scopes: readonly string[] | null,
  sets = toolSets as readonly (typeof toolSets)[number][],
) => definitionsFor(sets, scopes).map(({ name }) => name)

describe('the definitions of the tools', () => {
  it('cost a model at most 4,800 tokens together, at four characters each, and the worker set half of that', () => {
    expect(JSON.stringify(all).length / 4).toBeLessThanOrEqual(4_800)
    expect(JSON.stringify(definitionsFor(['worker'], null)).length / 4).toBeLessThanOrEqual(2_400)
  })

  it('name each tool by one verb, with hints, and with schemas of objects that take no further members', () => {
    for (const { name, inputSchema, outputSchema, annotations } of all) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(outputSchema).toMatchObject({ type: 'object' })
      expect(Object.keys(annotations).length).toBeGreaterThan(0)
    }
  })

  it('are those of the worker unless more are wanted', () => {
    expect(namesFor(null, ['worker'])).toEqual([
      'list_agents',
      'claim_task',
      'get_task',
      'report_progress',
      'add_log',
      'add_output',
      'complete_task',
      'fail_task',
      'release_task',
      'report_usage',
      'ask_person',
      'request_approval',
      'get_approval',
    ])
  })

  it('leave out what the scopes do not allow', () => {
    expect(namesFor(['tasks:read'], ['worker'])).toEqual([
      'get_task',
      'get_approval',
      'list_tasks',
      'board_summary',
    ])
    expect(namesFor(['analytics:read'])).toEqual([])
    const without = namesFor(null).filter((name) => name !== 'list_agents')
    expect(namesFor(['tasks:read', 'tasks:write'])).toEqual(without)
    expect(namesFor(['tasks:read', 'tasks:write', 'agents:read'])).toEqual(namesFor(null))
  })
})
