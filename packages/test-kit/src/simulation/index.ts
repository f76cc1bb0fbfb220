/** The simulation of whole services, for `npm run check -- simulate`. */
export { simulateCommand } from './command.ts'
export { openLibsqlDatabase, type SimulatedDatabase } from './database.ts'
