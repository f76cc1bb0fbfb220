import { generatedMigrations } from './generated.ts'
import type { Migration } from './migration.ts'
import { releasedMigrations } from './released.ts'

/**
 * Every migration, in the order in which a new database gets them. Never change one that was released: add another (see
 * CONTRIBUTING.md).
 */
export const migrations: readonly Migration[] = [...releasedMigrations, ...generatedMigrations]
