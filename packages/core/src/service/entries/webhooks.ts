export { start } from '../start.ts'
export { mountWebhooks } from '../../events/webhooks/handlers.ts'
