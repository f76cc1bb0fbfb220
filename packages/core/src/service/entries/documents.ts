export { start } from '../start.ts'
export { mountDocuments } from '../../documents/handlers.ts'
