import { defineConfig } from 'drizzle-kit'

/** For `npm run migrations`: see CONTRIBUTING.md. */
export default defineConfig({
  dialect: 'sqlite',
  schema: './src/stores/libsql/schema.ts',
  out: './migrations/sql',
})
