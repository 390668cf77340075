import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { appPages } from './app-pages.js'

const rows = Object.entries(appPages)
const values = (member: 'title' | 'icon' | 'shortcut') => rows.map(([, row]) => row[member])

it('each page has a title, an icon and a key of its own', () => {
  for (const member of ['title', 'icon', 'shortcut'] as const) {
    expect(values(member)).toEqual([...new Set(values(member))])
  }
  // `g` begins the keys of a page.
  for (const shortcut of values('shortcut')) expect(shortcut).toMatch(/^[a-fh-z]$/)
})

it('docs/dashboard.md lists every page with its keys and its scope', () => {
  const docs = readFileSync(new URL('../../../docs/dashboard.md', import.meta.url), 'utf8')
  const [, table = ''] = docs.split('| Page | Keys | Scope |\n| --- | --- | --- |\n')
  const listed = table.slice(0, table.indexOf('\n\n')).split('\n')
  const cells = listed.map((row) => row.split('|').map((cell) => cell.trim()))
  expect(cells.map(([, page, keys, scope]) => [page?.split(':')[0], keys, scope])).toEqual(
    rows.map(([, { title, shortcut, scope }]) => [
      title,
      `\`g\` \`${shortcut}\``,
      scope === undefined ? '' : `\`${scope}\``,
    ]),
  )
})
