export { start } from '../start.ts'
export { readableTitles } from '../../traces/readable-titles.ts'
