// Written by `npm run migrations`: do not edit.
import type { Migration } from './migration.ts'

export const generatedMigrations: readonly Migration[] = [
  {
    id: '0024-trace_title',
    sql: ['ALTER TABLE `traces` ADD `title` text'],
  },
]
