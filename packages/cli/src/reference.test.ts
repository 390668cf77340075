import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { referencePath, withReference } from '../scripts/reference.js'

describe('docs/cli.md', () => {
  it('has the commands, options and exit codes of the code', async () => {
    expect(readFileSync(referencePath, 'utf8')).toBe(await withReference())
  })
})
