export { start } from '../start.ts'
export { mountOutbox } from '../../outbox/handlers.ts'
