export { start } from '../start.ts'
export { mountLedger } from '../../ledger/handlers.ts'
