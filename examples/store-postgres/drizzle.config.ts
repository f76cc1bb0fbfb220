import { defineConfig } from 'drizzle-kit'

// oxlint-disable-next-line import/no-default-export -- drizzle-kit reads the default export.
export default defineConfig({ dialect: 'postgresql', schema: './src/tables.ts', out: './migrations' })
