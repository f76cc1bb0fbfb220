export { postgresStores } from './stores.ts'
export { openDatabase, type Postgres, type PostgresOptions } from './database.ts'
export { inspectSchema, migrate, schemaStatements } from './migrate.ts'
export { MigrationError, type Migrated, type SchemaState } from '../libsql/migrate.ts'
