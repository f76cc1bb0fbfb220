import { customType } from 'drizzle-orm/sqlite-core'
import { jsonArgument } from '../database.ts'

/** A column of JSON text. `.$type<...>()` names the type of its values. */
export const json = customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text',
  toDriver: jsonArgument,
  fromDriver: (text) => JSON.parse(text) as unknown,
})
