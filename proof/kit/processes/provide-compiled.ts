import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestProject } from 'vitest/node'
import { compilePrograms } from '../../../scripts/compile-programs.mjs'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the folder with the project's compiled programs, with a slash at the end. */
    readonly programs: string
  }
}

/**
 * Compiles the programs that a project's tests start as processes, for all of its files, and again before each run of a watch.
 * `entries` are paths from the root by name. Resolves to a function that deletes them.
 */
export async function provideCompiled(
  project: TestProject,
  entries: Readonly<Record<string, string>>,
): Promise<() => Promise<void>> {
  const compile = () => compilePrograms(entries, join('taskboard-test', `${project.name}-${process.pid}`))
  const folder = await compile()
  project.provide('programs', `${pathToFileURL(folder).href}/`)
  project.onTestsRerun(async () => void (await compile()))
  return () => rm(folder, { recursive: true })
}
