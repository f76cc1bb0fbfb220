export { start } from '../start.ts'
export { mountAudit } from '../../audit/handlers.ts'
