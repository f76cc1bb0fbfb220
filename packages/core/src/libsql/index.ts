export type { SqlClient, SqlResult, SqlRow, SqlStatement, SqlValue } from './client.ts'
export { isRead, openDatabase, raw, type Database, type Query, type Raw, type Written } from './database.ts'
export { migrate, MigrationError, type Migrated, type Migration } from './migrate.ts'
export { migrations } from './migrations.ts'
