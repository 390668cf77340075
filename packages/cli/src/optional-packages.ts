import { createRequire } from 'node:module'
import { CliError } from './cli-error.js'

const OF_DATABASES = '@taskboard/core @taskboard/postgres pg'

/** Packages that few commands need. */
export const loadCore = () => load('@taskboard/core', OF_DATABASES, () => import('@taskboard/core'))
export const loadPostgres = () =>
  load('@taskboard/postgres', OF_DATABASES, () => import('@taskboard/postgres'))
export const loadPg = () => load('pg', OF_DATABASES, () => import('pg'))
/** Only whether it is there: `@taskboard/postgres` imports it. */
export const loadPglite = () =>
  load('@electric-sql/pglite', '@taskboard/core @taskboard/postgres @electric-sql/pglite', async () =>
    createRequire(import.meta.url).resolve('@electric-sql/pglite'),
  )
export const loadMcp = () => load('@taskboard/mcp', '@taskboard/mcp', () => import('@taskboard/mcp'))

async function load<M>(name: string, all: string, bring: () => Promise<M>): Promise<M> {
  try {
    return await bring()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error
    throw new CliError(
      'usage',
      `this command requires the package ${name}, which is not installed: npm install ${all}`,
      { cause: error },
    )
  }
}
