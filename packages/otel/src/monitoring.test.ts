import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Meter, MetricOptions } from '@opentelemetry/api'
import { describe, expect, it } from 'vitest'
import { createInstruments } from './instruments.js'

const root = new URL('../../../', import.meta.url)
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const rules = textOf('examples/deployment/alerts.yaml')
const page = textOf('docs/monitoring.md')
const promtool = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'promtool'))
  .find((path) => existsSync(path))

interface Instrument {
  readonly name: string
  readonly unit: string
  readonly kind: 'histogram' | 'counter' | 'gauge'
}

/** What `createInstruments` asks a meter for. */
function instruments(): readonly Instrument[] {
  const asked: Instrument[] = []
  const ask = (kind: Instrument['kind']) => (name: string, options: MetricOptions) => {
    asked.push({ name, unit: options.unit ?? '', kind })
    return { record: () => undefined, add: () => undefined }
  }
  const meter = {
    createHistogram: ask('histogram'),
    createCounter: ask('counter'),
    createObservableGauge: ask('gauge'),
    addBatchObservableCallback: () => undefined,
    removeBatchObservableCallback: () => undefined,
  }
  const { observe } = createInstruments(meter as unknown as Meter)
  observe(() => Promise.resolve({ waitingTasks: 0, runningTasks: 0, connections: 0 }))
  return asked
}

/** The names in Prometheus, by the rules of OpenTelemetry: dots become underscores, and the unit and the kind are at the end. */
function seriesOf({ name, unit, kind }: Instrument): readonly string[] {
  const unitName = unit === 's' ? '_seconds' : /^\{|^$/.test(unit) ? '' : `_${unit}`
  const base = `${name.replaceAll('.', '_')}${unitName}`
  if (kind === 'histogram') return [`${base}_bucket`, `${base}_sum`, `${base}_count`]
  return [kind === 'counter' ? `${base}_total` : base]
}

describe('the alerts of docs/monitoring.md', () => {
  const all = instruments()
  const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name = '']) => name)

  it('are about metrics that exist, each of which is in both pages', () => {
    const known = all.flatMap(seriesOf)
    const used = rules.match(/\b(?:taskboard|messaging|gen_ai)_\w+(?=[{)[ ])/g) ?? []
    const attributes = /^(?:taskboard_(?:outcome|agent_type|limit)|gen_ai_(?:request_model|token_type))$/
    const series = [...new Set(used)].filter((name) => !attributes.test(name))
    expect(series.length).toBeGreaterThan(8)
    expect(series.filter((name) => !known.includes(name))).toEqual([])
    const telemetry = textOf('docs/telemetry.md')
    const isInBoth = ({ name }: Instrument) => [page, telemetry].every((text) => text.includes(`\`${name}\``))
    expect(all.filter((one) => !isInBoth(one))).toEqual([])
  })

  it('are all in the table of the page, and each of them has a test that fires and one that does not', () => {
    const tested = [...textOf('examples/deployment/alerts.test.yaml').matchAll(/alertname: (\w+)/g)]
    expect(tested.map(([, name]) => name)).toEqual(alerts.flatMap((name) => [name, name]))
    expect([...page.matchAll(/`(Taskboard\w+)`/g)].map(([, name = '']) => name).toSorted()).toEqual(
      alerts.toSorted(),
    )
  })

  it.skipIf(promtool === undefined)(
    'fire as promtool says (where Prometheus is installed)',
    { timeout: 60_000 },
    () => {
      const cwd = fileURLToPath(new URL('examples/deployment/', root))
      const run = (...args: readonly string[]) =>
        execFileSync(promtool ?? '', args, { cwd, encoding: 'utf8', stdio: 'pipe' })
      expect(run('check', 'rules', 'alerts.yaml')).toContain(`${alerts.length} rules found`)
      expect(run('test', 'rules', 'alerts.test.yaml')).toContain('SUCCESS')
    },
  )
})
