import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const core = new URL('../packages/core/src/', import.meta.url)
const page = readFileSync(new URL('architecture.md', import.meta.url), 'utf8')

/** The names of the loops that core makes, as the page writes them: `agent-runner:<type>`. */
function loopsInCode(): readonly string[] {
  const files = readdirSync(core, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  const sources = files.map((name) => readFileSync(new URL(name, core), 'utf8'))
  const names = sources.flatMap((source) => [
    ...source.matchAll(/create(?:BackgroundLoop|TaskSweep)\(\{\s*name: [`'](.*?)[`']/g),
  ])
  return names.map(([, name = '']) =>
    name
      .replace(/^bot:\$\{.*\}/, 'bot:<name>')
      .replace(/\$\{.*Type\}/, '<type>')
      .replace(/\$\{.*\}/, '<channel>'),
  )
}

describe('docs/architecture.md', () => {
  it('lists every background loop and no other', () => {
    const [, section = ''] = page.split('## Background loops')
    const rows = section.split('\n## ')[0]?.match(/^\| `.*$/gm) ?? []
    const listed = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`(.*?)`/g)])
    expect(listed.map(([, name = '']) => name).toSorted()).toEqual(loopsInCode().toSorted())
  })
})
