export { start } from '../start.ts'
export { mountReports } from '../../reports/handlers.ts'
