import { readFileSync } from 'node:fs'

const folder = new URL('./sql/', import.meta.url)

/**
 * Returns the TypeScript source of `generated.ts`: each migration that drizzle-kit wrote after those of `released.ts`.
 */
export function embedMigrations() {
  const { entries } = JSON.parse(readFileSync(new URL('meta/_journal.json', folder), 'utf8'))
  const migrations = entries
    .filter(({ tag }) => tag !== '0023_released')
    .map(({ tag }) => {
      const statements = readFileSync(new URL(`${tag}.sql`, folder), 'utf8').split('--> statement-breakpoint')
      const sql = statements.map((text) => text.trim().replace(/;$/, '')).filter((text) => text !== '')
      return { id: tag.replace('_', '-'), sql }
    })
  return `// Written by \`npm run migrations\`: do not edit.
import type { Migration } from './migration.ts'

export const generatedMigrations: readonly Migration[] = ${JSON.stringify(migrations, null, 2)}
`
}
