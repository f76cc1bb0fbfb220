export { start } from '../start.ts'
export { mountIngest } from '../../ingest/handlers.ts'
