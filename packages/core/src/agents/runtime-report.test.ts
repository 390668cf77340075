import { virtualClock } from '@taskboard/testing'
import { expect, it } from 'vitest'
import { createEnvironment } from '../environment/index.js'
import type { AgentPresenceReport } from './agent-store.js'

type RuntimeReport = Extract<AgentPresenceReport, { readonly agentTypes: readonly string[] }>
import { createRuntimeReport } from './presence.js'

it('repeats the report to a shared storage, well before it expires, and does not report the end', async () => {
  const clock = virtualClock()
  const start = clock.now()
  const reports: (readonly [number, readonly string[], number | null])[] = []
  const agents = {
    async reportPresence(report: RuntimeReport) {
      const types = 'agentTypes' in report ? report.agentTypes : []
      reports.push([clock.now() - start, types, report.liveMs])
    },
  }
  const environment = createEnvironment({ clock })
  const report = createRuntimeReport(environment, agents, { agentTypes: ['a', 'b'], isOnlyProcess: false })
  await report.start()
  await clock.advance({ seconds: 70 })
  await report.stop()
  await clock.advance({ hours: 1 })
  expect(reports).toEqual([0, 30_000, 60_000].map((at) => [at, ['a', 'b'], 90_000]))
})
