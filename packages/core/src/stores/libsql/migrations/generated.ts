// Written by `npm run migrations`: do not edit.
import type { Migration } from './migration.ts'

export const generatedMigrations: readonly Migration[] = []
