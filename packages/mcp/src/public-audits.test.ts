import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasAudits, inspect } from '@taskboard/kit/mcp/audit'
import { runSuite, serveForAudits } from '../test/conformance-suite.js'
import { definitionsFor } from './tools/definitions.js'
import { toolSets } from './tools/tool.js'

/** The scenarios of the suite that a server with its tools, prompts and resources passes here. */
const passed = [
  'server-initialize',
  'logging-set-level',
  'ping',
  'completion-complete',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-with-logging',
  'tools-call-error',
  'tools-call-with-progress',
  'json-schema-2020-12',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
  'dns-rebinding-protection',
] as const

/** Those that fail, and why. One that begins to pass fails its test, so that the list stays true. */
const failed = {
  'tools-call-sampling':
    'the server asks the model of the client during a call; the answer is a request of its own, which only a session leads back to the call',
  'tools-call-elicitation':
    'the server asks the user of the client during a call; the answer needs a session, too',
  'elicitation-sep1034-defaults': 'the same, with defaults',
  'elicitation-sep1330-enums': 'the same, with enumerations',
  'resources-subscribe':
    'of the versions of 2025: notifications come in a session; the version of 2026 has subscriptions/listen',
  'resources-unsubscribe': 'ends such a subscription',
} as const

/** Those that pass on the endpoint of the board, which has no tool, prompt or resource of the suite. */
const passedByTheBoard = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'resources-list',
  'dns-rebinding-protection',
]

type Results = ReadonlyMap<string, boolean>

describe.skipIf(!hasAudits)('the endpoint under the public audits', { timeout: 120_000 }, () => {
  let served: Awaited<ReturnType<typeof serveForAudits>>
  let results: Results
  beforeAll(async () => {
    served = await serveForAudits()
    results = await runSuite(`${served.url}/fixtures`)
  }, 120_000)
  afterAll(() => served.close())

  it.each(passed)('passes %s', (name) => {
    expect(results.get(name)).toBe(true)
  })

  it.each(Object.entries(failed))('fails %s: %s', (name) => {
    expect(results.get(name)).toBe(false)
  })

  it('has seen all scenarios of the suite', () => {
    expect([...results.keys()].toSorted()).toEqual([...passed, ...Object.keys(failed)].toSorted())
  })

  it('passes those that need no tools of the suite with the tools of the board', async () => {
    const own = await runSuite(`${served.url}/mcp`)
    expect([...own].filter(([, isPassed]) => isPassed).map(([name]) => name)).toEqual(passedByTheBoard)
  })

  it('has its tools listed and called by the Inspector', async () => {
    const endpoint = { url: `${served.url}/mcp` }
    const { tools } = (await inspect(endpoint, '--method', 'tools/list')) as { tools: { name: string }[] }
    expect(tools).toHaveLength(definitionsFor(toolSets, null).length)
    const args = ['--method', 'tools/call', '--tool-name', 'create_task', '--tool-arg', 'title=Inspected']
    expect(await inspect(endpoint, ...args)).toMatchObject({
      structuredContent: { title: 'Inspected', status: 'pending' },
    })
  })
})
