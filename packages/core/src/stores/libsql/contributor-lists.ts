import { getTableColumns } from 'drizzle-orm'
import { applications } from './tables/contributors.ts'

const { num, owner: _owner, ...columns } = getTableColumns(applications)
/** The number by which pages of applications are ordered. */
export const applicationNum = num
/** The columns of an application that stores return. */
export const applicationColumns = columns
