import { rm } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { TestProject } from 'vitest/node'
import type {} from '../../postgres/test/processes/compile.js'
import { compilePrograms } from '../../../scripts/compile-programs.mjs'

/** The programs of the tests, in a folder from which this package's own libraries are found. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const compile = () =>
    compilePrograms(
      { taskboard: 'packages/cli/src/main.ts', server: 'examples/express-server/src/main.ts' },
      `../../packages/cli/node_modules/.cache/test-${process.pid}`,
    )
  const folder = await compile()
  project.provide('programs', `${pathToFileURL(folder).href}/`)
  project.onTestsRerun(async () => void (await compile()))
  return () => rm(folder, { recursive: true })
}
