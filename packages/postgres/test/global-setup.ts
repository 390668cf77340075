import type { TestProject } from 'vitest/node'
import { startEmbeddedServer } from './embedded-server.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A connection string that may create databases. */
    readonly databaseUrl: string
  }
}

/** One server for all files of a run: what `TEST_DATABASE_URL` names, or one of the tests' own. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['TEST_DATABASE_URL']
  if (given !== undefined && given !== '') {
    project.provide('databaseUrl', given)
    return undefined
  }
  const server = await startEmbeddedServer(['fsync=off', 'max_connections=200'])
  project.provide('databaseUrl', server.url)
  return () => server.stop()
}
