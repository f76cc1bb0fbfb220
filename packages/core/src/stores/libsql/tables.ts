// In a file of its own: the object that this makes of a module would otherwise come with whoever imports a store.
export * as schema from './schema.ts'
