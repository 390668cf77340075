export { postgresStorage } from './postgres-storage.js'
export type { PostgresStorageOptions } from './postgres-storage.js'
export {
  migrate,
  type MigrationOptions,
  type MigrationState,
  migrationStatus,
  planMigrations,
  type PlannedStep,
} from './migrations/migrate.js'
export { type PgliteInstance, pglitePool } from './pglite/pglite-pool.js'
export type { PgConnection, PgPool, PgPoolClient, PgQuery, PgQueryable } from './connection/pool.js'
export { failoverPool, type FailoverOptions, type PgModule } from './failover/failover-pool.js'
export { openPglite } from './pglite/pglite-directory.js'
export type { OpenedPglite } from './pglite/pglite-directory.js'
export { exportLines, type ExportOptions } from './transfer/export-lines.js'
export { importLines, type ImportOptions, type ImportProgress } from './transfer/import-lines.js'
