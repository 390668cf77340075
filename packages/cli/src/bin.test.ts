import { execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { newFolder } from '../test/cli-process.js'

const folder = fileURLToPath(new URL('..', import.meta.url))
const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  bin: Readonly<Record<string, string>>
}

it('npm can link the program in a clone that is not built, where it says what to do', async () => {
  const program = join(folder, bin['taskboard'] ?? '')
  expect(existsSync(program) && (statSync(program).mode & 0o111) !== 0).toBe(true)
  const unbuilt = newFolder()
  cpSync(join(folder, 'bin'), join(unbuilt, 'bin'), { recursive: true })
  cpSync(join(folder, 'package.json'), join(unbuilt, 'package.json'))
  const run = promisify(execFile)(process.execPath, [join(unbuilt, bin['taskboard'] ?? '')])
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('npm run build') as string,
  })
})
