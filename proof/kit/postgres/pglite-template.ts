import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the template PGlite, once it exists. */
    readonly pgliteTemplate: string
  }
}

/** One for all projects of a run. The first test that needs it creates it. */
const FOLDER = join(tmpdir(), `taskboard-pglite-template-${process.pid}`)

export function setup(project: TestProject): () => Promise<void> {
  project.provide('pgliteTemplate', FOLDER)
  return () => rm(FOLDER, { recursive: true, force: true })
}
