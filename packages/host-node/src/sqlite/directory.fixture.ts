// A process that opens a relative path and changes its working directory before the first statement.
import { tmpdir } from 'node:os'
import { openLocal } from './local.ts'

const local = openLocal(process.argv[2] ?? '')
process.chdir(tmpdir())
await local.execute({ sql: "insert into acks (id) values ('a')", args: [] })
local.close()
