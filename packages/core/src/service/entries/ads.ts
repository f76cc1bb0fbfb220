export { start } from '../start.ts'
export { createAds } from '../../ads/create.ts'
