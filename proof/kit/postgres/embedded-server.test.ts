import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'

const program = `
  await import(${JSON.stringify(new URL('embedded-server.ts', import.meta.url).href)})
  process.exitCode = 3
`

describe('a process that has started embedded servers', () => {
  it('keeps the exit code that a failed test set', async () => {
    const child = execFile(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program])
    const code = await new Promise((resolve) => child.once('exit', resolve))
    expect(code).toBe(3)
  })
})
