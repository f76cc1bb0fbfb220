// This export has a file of its own. Otherwise everybody who imports a store would also load the object that it makes.
export * as schema from './schema.ts'
