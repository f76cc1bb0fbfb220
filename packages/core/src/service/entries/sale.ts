export { start } from '../start.ts'
export { sharesOfSale } from '../../ledger/sale.ts'
