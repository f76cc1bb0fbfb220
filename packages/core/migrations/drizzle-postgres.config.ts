import { defineConfig } from 'drizzle-kit'

/** For `npm run migrations`: see CONTRIBUTING.md. */
export default defineConfig({
  dialect: 'postgresql',
  schema: './src/stores/postgres/schema.ts',
  out: './migrations/postgres',
})
