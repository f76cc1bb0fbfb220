export { start } from '../start.ts'
export { mountTraces } from '../../traces/handlers.ts'
