// A program that runs next to the servers. It writes rows at random moments, holds the write lock for a random time,
// and prints each committed row.
import Database from 'libsql'

const [path = '', name = ''] = process.argv.slice(2)
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const database = new Database(path, { timeout: 30_000 } as Database.Options)
database.exec('create table if not exists acks (id text primary key, body text)')

for (let index = 0; ; index++) {
  database.exec('begin immediate')
  database.exec(`insert into acks (id) values ('${name}-${index}')`)
  await sleep(Math.random() * 120)
  database.exec('commit')
  process.stdout.write(`${name}-${index}\n`)
  await sleep(Math.random() * 120)
}
