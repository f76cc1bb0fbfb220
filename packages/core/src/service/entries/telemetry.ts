export { start } from '../start.ts'
export { mountTelemetry } from '../../telemetry/handlers.ts'
