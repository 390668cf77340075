import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasAudits, inspect, runSuite, serveForAudits } from '../test/audit.js'

const NO_SESSION = 'needs a session, in which the server asks the client; the endpoint keeps none'

/** The scenarios that fail on a server with the suite's own tools, and why. */
const expectedFailures: Readonly<Record<string, string>> = {
  'tools-call-sampling': NO_SESSION,
  'tools-call-elicitation': NO_SESSION,
  'elicitation-sep1034-defaults': NO_SESSION,
  'elicitation-sep1330-enums': NO_SESSION,
  'resources-subscribe':
    'of the versions of 2025, and needs a session; those of 2026 have subscriptions/listen',
  'resources-unsubscribe':
    'of the versions of 2025, and needs a session; those of 2026 have subscriptions/listen',
}

/** The scenarios that a server without the suite's own tools, prompts and resources can pass. */
const withoutFixtures = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'resources-list',
  'dns-rebinding-protection',
]

describe.skipIf(!hasAudits)('the endpoint under the public audits', { timeout: 120_000 }, () => {
  let served: Awaited<ReturnType<typeof serveForAudits>>
  beforeAll(async () => {
    served = await serveForAudits()
  })
  afterAll(() => served.close())

  it('passes every scenario of the conformance suite, but for those that need a session', async () => {
    const passed = await runSuite(`${served.url}/fixtures`)
    expect(passed.size).toBeGreaterThanOrEqual(30)
    const failed = [...passed].filter(([, isPassed]) => !isPassed).map(([name]) => name)
    expect(failed.toSorted()).toEqual(Object.keys(expectedFailures).toSorted())
  })

  it('passes those that need no tools of the suite with its own tools', async () => {
    const passed = await runSuite(`${served.url}/mcp`)
    expect([...passed].filter(([, isPassed]) => isPassed).map(([name]) => name)).toEqual(withoutFixtures)
  })

  it('has its tools listed and called by the Inspector', async () => {
    const { tools } = (await inspect(`${served.url}/mcp`, '--method', 'tools/list')) as {
      tools: { name: string }[]
    }
    expect(tools).toHaveLength(16)
    const args = ['--method', 'tools/call', '--tool-name', 'create_task', '--tool-arg', 'title=Inspected']
    expect(await inspect(`${served.url}/mcp`, ...args)).toMatchObject({
      structuredContent: { title: 'Inspected', status: 'pending' },
    })
  })
})
