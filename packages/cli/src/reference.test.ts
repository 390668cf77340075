import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { referencePath, withReference } from '../scripts/reference.js'
import { run } from '../test/cli-process.js'

describe('docs/cli.md', () => {
  it('has the commands, options and exit codes of the code', async () => {
    const page = readFileSync(referencePath, 'utf8')
    expect(page, 'npm run generate -w @taskboard/cli writes it').toBe(await withReference())
  })
})

describe('the help of a command', () => {
  it('says which options can be repeated', { timeout: 60_000 }, async () => {
    const { code, stdout } = await run(['add', '--help'])
    expect(code).toBe(0)
    const text = stdout.replaceAll(/\s+/g, ' ')
    expect(text).toContain('--tag <tag> a tag (can be repeated)')
    expect(text).not.toMatch(/--title <text> [^-]*\(can be repeated\)/)
  })
})
