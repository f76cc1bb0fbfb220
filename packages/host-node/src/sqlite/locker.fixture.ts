// A program beside the servers that takes the write lock at random moments, writes a row, and holds the lock for a random time.
// Reports each committed row on its standard output.
import Database from 'libsql'

const [path = '', name = ''] = process.argv.slice(2)
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const database = new Database(path, { timeout: 30_000 } as Database.Options)
database.exec('create table if not exists acks (id text primary key, body text)')

for (let at = 0; ; at++) {
  database.exec('begin immediate')
  database.exec(`insert into acks (id) values ('${name}-${at}')`)
  await sleep(Math.random() * 120)
  database.exec('commit')
  process.stdout.write(`${name}-${at}\n`)
  await sleep(Math.random() * 120)
}
