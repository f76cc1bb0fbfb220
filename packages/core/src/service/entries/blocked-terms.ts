export { start } from '../start.ts'
export { addBlockedTerm } from '../../contributors/blocked-terms/handlers.ts'
