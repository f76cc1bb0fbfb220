import { generatedMigrations } from './generated.ts'
import type { Migration } from './migration.ts'
import { releasedMigrations } from './released.ts'

/**
 * Every migration, in the order in which a new database gets them. Never change a released migration: add a new one
 * (see CONTRIBUTING.md).
 */
export const migrations: readonly Migration[] = [...releasedMigrations, ...generatedMigrations]
