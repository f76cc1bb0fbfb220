import { readFileSync } from 'node:fs'

/** Returns each migration of a folder that drizzle-kit wrote. */
function readMigrations(folder) {
  const { entries } = JSON.parse(readFileSync(new URL('meta/_journal.json', folder), 'utf8'))
  return entries.map(({ tag }) => {
    const statements = readFileSync(new URL(`${tag}.sql`, folder), 'utf8').split('--> statement-breakpoint')
    const sql = statements.map((text) => text.trim().replace(/;$/, '')).filter((text) => text !== '')
    return { id: tag.replace('_', '-'), sql }
  })
}

const write = (name, path, migrations) => `// Written by \`npm run migrations\`: do not edit.
import type { Migration } from '${path}'

export const ${name}: readonly Migration[] = ${JSON.stringify(migrations, null, 2)}
`

/** Returns the TypeScript source of `generated.ts`: each migration after those of `released.ts`. */
export const embedMigrations = () =>
  write(
    'generatedMigrations',
    './migration.ts',
    readMigrations(new URL('./sql/', import.meta.url)).filter(({ id }) => id !== '0023-released'),
  )

/** Returns the TypeScript source of the migrations of Postgres. */
export const embedPostgresMigrations = () =>
  write('migrations', '../../libsql/migrations/migration.ts', readMigrations(new URL('./postgres/', import.meta.url)))
