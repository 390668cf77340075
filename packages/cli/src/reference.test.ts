import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { referencePath, withReference } from '../scripts/reference.js'
import { run } from '../test/cli-process.js'
import type { CliHost } from './cli.js'
import { createProgram } from './program.js'

describe('docs/cli.md', () => {
  it('has the commands, options and exit codes of the code', async () => {
    const page = readFileSync(referencePath, 'utf8')
    expect(page, 'npm run generate -w @taskboard/cli writes it').toBe(await withReference())
  })
})

describe('the help of a command', () => {
  it('fits on a terminal of 80 columns, that of the whole program too', async () => {
    let text = ''
    const stdout = { columns: 80, write: (part: string) => (text += part) }
    const program = createProgram({ stdout, stderr: stdout } as unknown as CliHost, {
      version: '0',
      isJson: false,
    })
    const names = program.commands.flatMap((each) => [
      [each.name()],
      ...each.commands.map((sub) => [each.name(), sub.name()]),
    ])
    for (const words of [[], ...names])
      await program.parseAsync([...words, '--help'], { from: 'user' }).catch(() => undefined)
    expect(text).toContain('Exit codes:')
    expect(text).toContain('Usage: taskboard keys rotate')
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  it('says which options can be repeated', { timeout: 60_000 }, async () => {
    const { code, stdout } = await run(['add', '--help'])
    expect(code).toBe(0)
    const text = stdout.replaceAll(/\s+/g, ' ')
    expect(text).toContain('--tag <tag> a tag (can be repeated)')
    expect(text).not.toMatch(/--title <text> [^-]*\(can be repeated\)/)
  })
})
