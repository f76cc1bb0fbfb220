import { dayMs } from '../ids.ts'

/** Returns how long entries are kept, in milliseconds; by default two years. Throws on fewer than 90 days. */
export function auditMs(days = 730): number {
  if (!(Number.isSafeInteger(days) && days >= 90))
    throw new Error(`auditDays must be a whole number, 90 or more: ${days}`)
  return days * dayMs
}
