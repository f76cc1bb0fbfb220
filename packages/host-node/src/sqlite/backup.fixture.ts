// A program that copies the database while the server uses it. Like `sqlite3 DB "vacuum into ..."`, it opens, copies
// and closes the database.
import Database from 'libsql'

const [path = '', target = ''] = process.argv.slice(2)
const database = new Database(path, { timeout: 10_000 } as Database.Options)
database.prepare('vacuum into ?').run([target])
database.close()
