import { readFile } from 'node:fs/promises'
import { auditActions } from '@taskboard/core'
import { expect, it } from 'vitest'

it('lists each action of the audit with its meaning', async () => {
  const page = await readFile(new URL('audit.md', import.meta.url), 'utf8')
  const section = page.split('## Actions')[1]?.split('\n## ')[0] ?? ''
  const rows = [...section.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, action, meaning]) => [
    action,
    meaning,
  ])
  expect(rows).toEqual(Object.entries(auditActions))
})
