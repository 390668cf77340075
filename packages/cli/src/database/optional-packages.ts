import { CliError } from '../cli-error.js'

/** Packages that only commands on a database need. */
export const loadCore = () => load('@taskboard/core', () => import('@taskboard/core'))
export const loadPostgres = () => load('@taskboard/postgres', () => import('@taskboard/postgres'))
export const loadPg = () => load('pg', () => import('pg'))

async function load<M>(name: string, bring: () => Promise<M>): Promise<M> {
  try {
    return await bring()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CliError(
      'usage',
      `this command requires the package ${name}, which is not installed: npm install @taskboard/core @taskboard/postgres pg`,
      { cause: error },
    )
  }
}
