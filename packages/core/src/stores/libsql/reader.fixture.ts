// This process may only read the file, even if the tests run as root.
import { createClient } from '@libsql/client'
import { openDatabase, raw } from './database.ts'

if (process.getuid?.() === 0) process.setuid?.(65_534)
const database = openDatabase(createClient({ url: process.argv[2] ?? '' }))
const rows = await database.read(raw('select x from t'))
const failure = await database.write([raw('insert into t values (2)')]).catch((error: unknown) => error)
const { name, cause } = failure as Error
console.log(JSON.stringify({ rows, name, code: (cause as { code?: string } | undefined)?.code }))
