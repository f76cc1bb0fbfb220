export { start } from '../start.ts'
export { fromWebRequest, toWebResponse } from '../../http/web.ts'
