// This export has a file of its own. Otherwise every module that imports a store would also load this object.
export * as schema from './schema.ts'
