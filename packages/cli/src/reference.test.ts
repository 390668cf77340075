import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { referencePath, withReference } from '../scripts/reference.js'

describe('docs/cli.md', () => {
  it('has the commands, options and exit codes of the code', async () => {
    const page = readFileSync(referencePath, 'utf8')
    expect(page, 'npm run generate -w @taskboard/cli writes it').toBe(await withReference())
  })
})
