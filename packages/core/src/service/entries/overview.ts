export { start } from '../start.ts'
export { mountOverview } from '../../admin/overview/handlers.ts'
