export { start } from '../start.ts'
export { mountOperatorPage } from '../../admin/sections/index.ts'
