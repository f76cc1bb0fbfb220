export { start } from '../start.ts'
export { mountJobPages } from '../../ingest/pages/handlers.ts'
