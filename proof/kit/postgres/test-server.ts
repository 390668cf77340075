import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedServer } from './embedded-server.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A connection string that may create databases. */
    readonly databaseUrl: string
    /** The name of the template database there: tests that begin migrated use copies of it. */
    readonly migratedTemplate: string
  }
}

/** One server for all files of a run: the one in `TEST_DATABASE_URL`, or an embedded one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = `taskboard_migrated_${randomBytes(6).toString('hex')}`
  project.provide('migratedTemplate', template)
  const given = process.env['TEST_DATABASE_URL']
  if (given !== undefined && given !== '') {
    project.provide('databaseUrl', given)
    return () => dropTemplate(given, template)
  }
  const server = await startEmbeddedServer(['fsync=off', 'max_connections=200'])
  project.provide('databaseUrl', server.url)
  return () => server.stop()
}

async function dropTemplate(url: string, template: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const name of [template, `${template}_draft`]) await client.query(`drop database if exists ${name}`)
  } finally {
    await client.end()
  }
}
