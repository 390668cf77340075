import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { defaultRetention } from '../packages/core/src/wiring/retention.js'

const schema = new URL('../packages/postgres/schema/', import.meta.url)
const page = readFileSync(new URL('data-protection.md', import.meta.url), 'utf8')
const DAY_MS = 86_400_000

describe('docs/data-protection.md', () => {
  it('says of every table how long its rows are kept', () => {
    const sql = readdirSync(schema)
      .filter((name) => name.endsWith('.sql'))
      .map((name) => readFileSync(new URL(name, schema), 'utf8'))
      .join('\n')
    const tables = [...sql.matchAll(/^create (?:unlogged )?table taskboard\.(\w+)/gm)].map(
      ([, name = '']) => name,
    )
    const [, section = ''] = page.split('\n## Retention\n')
    const named = [...section.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    )
    expect(tables.length).toBeGreaterThan(40)
    expect(named.toSorted()).toEqual(tables.toSorted())
  })

  it('has the times of the code', () => {
    const days = (ms: number): string => `${ms / DAY_MS} days`
    expect(page).toContain(`| ${days(defaultRetention.eventsMs)} (\`retention.eventsMs\`)`)
    expect(page).toContain(`| ${days(defaultRetention.deliveriesMs)} (\`retention.deliveriesMs\`)`)
    expect(page).toContain(`| ${defaultRetention.auditDays} days (\`retention.auditDays\`)`)
    expect(defaultRetention.doneTasksDays).toBeNull()
  })
})
