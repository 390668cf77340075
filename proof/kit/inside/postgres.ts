/** How the storage makes what the tests make once for all files of a run. */
export { scoringInsert } from '../../../packages/postgres/src/database/stored-scoring.js'
export { makeDataDirectory } from '../../../packages/postgres/src/pglite/new-data-directory.js'
