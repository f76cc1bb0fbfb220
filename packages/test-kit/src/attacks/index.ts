export { attacks } from './attacks.ts'
export { attacksCommand, type Attacked, type AttacksTerminal } from './command.ts'
