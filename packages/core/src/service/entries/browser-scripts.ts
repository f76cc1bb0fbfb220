export { start } from '../start.ts'
export { mountBrowserScripts } from '../../admin/browser/handlers.ts'
