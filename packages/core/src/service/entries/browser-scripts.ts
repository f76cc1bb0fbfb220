export { start } from '../start.ts'
export { mountBrowserScripts } from '../../browser/handlers.ts'
