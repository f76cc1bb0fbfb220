// Makes a plain file call on a database that this process has open throw an error. On POSIX, closing any descriptor of
// a file drops all record locks of the process on the file. SQLite's locks would then be gone, and another program
// could delete the write-ahead log. This module is loaded before every test file. Tests also load it into the processes
// that they start (`--import`).
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the files that this process has open. Only Linux shows them. */
function openFiles() {
  if (process.platform !== 'linux') return new Set()
  return new Set(
    fs.readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return [fs.readlinkSync(`/proc/self/fd/${fd}`)]
      } catch {
        return []
      }
    }),
  )
}

function check(file) {
  if (typeof file !== 'string' && !(file instanceof URL)) return
  const path = resolve(file instanceof URL ? fileURLToPath(file) : file)
  const database = path.replace(/-(?:wal|shm)$/, '')
  // This file exists while somebody has a database in WAL mode open.
  if (!fs.existsSync(`${database}-shm`)) return
  if (openFiles().has(`${database}-shm`))
    throw new Error(`${path} belongs to a database that this process has open: never open it with a plain file call`)
}

/** For each call, the number of its first arguments that are paths of opened files. */
const calls = {
  open: 1,
  readFile: 1,
  writeFile: 1,
  appendFile: 1,
  truncate: 1,
  copyFile: 2,
  cp: 2,
  createReadStream: 1,
  createWriteStream: 1,
}

function guard(target, name, paths) {
  const original = target[name]
  if (typeof original !== 'function' || original.guarded) return
  target[name] = Object.assign(
    function guarded(...args) {
      // A call that creates a file, and fails if the file exists, does not open a database.
      const creates = name.startsWith('open') && String(args[1]).includes('x')
      if (!creates) for (const path of args.slice(0, paths)) check(path)
      return original.apply(this, args)
    },
    { guarded: true },
  )
}

for (const [name, paths] of Object.entries(calls)) {
  guard(fs, name, paths)
  guard(fs, `${name}Sync`, paths)
  guard(fs.promises, name, paths)
}
syncBuiltinESMExports()
