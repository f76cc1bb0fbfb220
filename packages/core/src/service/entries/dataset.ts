export { start } from '../start.ts'
export { mountDataset } from '../../traces/dataset/handlers.ts'
