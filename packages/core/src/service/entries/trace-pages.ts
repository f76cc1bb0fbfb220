export { start } from '../start.ts'
export { mountTracePages } from '../../traces/pages/handlers.ts'
