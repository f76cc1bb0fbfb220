import type { Section } from './src/mcp/search.ts'
export const sections: readonly Section[]
