export { start } from '../start.ts'
export { mountAuth } from '../../auth/handlers.ts'
