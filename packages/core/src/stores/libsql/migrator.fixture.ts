// This process migrates one file and prints the result.
import { createClient } from '@libsql/client'
import { migrate } from './migrate.ts'

const [url = '', list = '[]'] = process.argv.slice(2)
const client = createClient({ url, timeout: 10_000 })
console.log(JSON.stringify((await migrate(client, { list: JSON.parse(list) })).ids))
client.close()
