export { start } from '../start.ts'
export { mountSession } from '../../auth/session/handlers.ts'
