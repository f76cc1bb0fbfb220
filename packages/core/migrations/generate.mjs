// npm run migrations -- --name NAME            writes the migration from the last one to the tables
// npm run migrations -- --custom --name NAME   starts an empty one, for SQL that drizzle-kit cannot write
// npm run migrations -- --embed                embeds the SQL again after editing the last one
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { embedMigrations } from './embed.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const core = `${root}packages/core`
const target = `${core}/src/stores/libsql/migrations/generated.ts`
const args = process.argv.slice(2)
if (!args.includes('--embed')) {
  const options = ['--config', 'migrations/drizzle.config.ts', ...args]
  execFileSync('node_modules/.bin/drizzle-kit', ['generate', ...options], { cwd: core, stdio: 'inherit' })
}
writeFileSync(target, embedMigrations())
execFileSync('node_modules/.bin/oxfmt', [target], { cwd: root, stdio: 'inherit' })
