// A program next to the servers that opens, reads and closes the database in a loop. It prints a line each time.
import Database from 'libsql'

const [path = ''] = process.argv.slice(2)

for (;;) {
  const database = new Database(path, { timeout: 30_000 } as Database.Options)
  database.prepare('select count(*) from jobs').all([])
  database.close()
  process.stdout.write('read\n')
  await new Promise((resolve) => setTimeout(resolve, 20))
}
