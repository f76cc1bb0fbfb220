export { start } from '../start.ts'
export { inlineIntake } from '../../ingest/intake.ts'
