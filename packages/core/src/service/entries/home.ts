export { start } from '../start.ts'
export { mountHome } from '../../home/handlers.ts'
