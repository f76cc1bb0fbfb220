export { start } from '../start.ts'
export { createDownloadQueue, inlineDownloads } from '../../traces/download.ts'
export { mountTraces } from '../../traces/handlers.ts'
