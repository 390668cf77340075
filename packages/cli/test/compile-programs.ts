import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestProject } from 'vitest/node'
import { compilePrograms } from '../../../scripts/compile-programs.mjs'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the folder with the project's compiled programs, with a slash at the end. */
    readonly programs: string
    /** The path of a folder for what the tests write. */
    readonly scratch: string
  }
}

/** In a folder from which this package's own libraries are found. */
const compile = (): Promise<string> =>
  compilePrograms(
    { taskboard: 'packages/cli/src/main.ts', server: 'examples/express-server/src/main.ts' },
    `../../packages/cli/node_modules/.cache/test-${process.pid}`,
  )

/** Compiles the programs that the tests start, and makes a folder for what they write. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await compile()
  project.provide('programs', `${pathToFileURL(folder).href}/`)
  project.onTestsRerun(async () => void (await compile()))
  const scratch = await mkdtemp(join(tmpdir(), 'taskboard-cli-'))
  project.provide('scratch', scratch)
  return async () => void (await Promise.all([folder, scratch].map((each) => rm(each, { recursive: true }))))
}
