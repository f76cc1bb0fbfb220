// npm run migrations -- --name NAME            writes the migration from the last one to the tables
// npm run migrations -- --custom --name NAME   starts an empty one, for SQL that drizzle-kit cannot write
// npm run migrations -- --embed                embeds the SQL again after editing the last one
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { embedMigrations, embedPostgresMigrations } from './embed.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const core = `${root}packages/core`
const databases = [
  { config: 'drizzle.config.ts', target: 'libsql/migrations/generated.ts', embed: embedMigrations },
  { config: 'drizzle-postgres.config.ts', target: 'postgres/migrations/generated.ts', embed: embedPostgresMigrations },
]
const args = process.argv.slice(2)
for (const { config, target, embed } of databases) {
  if (!args.includes('--embed')) {
    const options = ['--config', `migrations/${config}`, ...args]
    execFileSync('node_modules/.bin/drizzle-kit', ['generate', ...options], { cwd: core, stdio: 'inherit' })
  }
  const path = `${core}/src/stores/${target}`
  writeFileSync(path, embed())
  execFileSync('node_modules/.bin/oxfmt', [path], { cwd: root, stdio: 'inherit' })
}
