import { TaskboardError } from '@taskboard/core'

/** The optional peer. @throws TaskboardError `INVALID_CONFIG` when it isn't installed. */
export async function loadPglite() {
  try {
    return await import('@electric-sql/pglite')
  } catch (error) {
    throw new TaskboardError('INVALID_CONFIG', 'PGlite needs the package @electric-sql/pglite', {
      cause: error,
    })
  }
}
