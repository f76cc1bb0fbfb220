// This is the only table of problems of files and disks. The module imports only modules of Node, because it is loaded
// before the descriptors run out.
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** A problem, and how to solve it. */
type Problem = readonly [problem: string, solution: string]
const full: Problem = ['the disk is full', 'Free space on it and try again']
const readOnly: Problem = [
  'the file or its disk is read-only',
  'Allow this user to write the file and its folder, or use another disk',
]
const denied: Problem = ['this user has no permission', 'Change the owner or the mode of the file and of its folder']
const tooFew: Problem = [
  'this process may not open more files',
  'Raise the limit of file descriptors, such as `ulimit -n 4096`',
]
const locked: Problem = ['another process locks the file', 'Stop it, or try again later']

/** The problems of files and disks, by the code of the system or of SQLite. */
export const systemProblems: ReadonlyMap<string, Problem> = new Map([
  ['ENOSPC', full],
  ['EDQUOT', ['the disk quota of this user is used up', 'Free space or raise the quota, and try again']],
  ['EROFS', readOnly],
  ['EACCES', denied],
  ['EPERM', denied],
  ['EMFILE', tooFew],
  ['ENFILE', tooFew],
  ['EIO', ['the disk does not read or write', 'Check the disk, and restore a backup on another one if it fails']],
  ['SQLITE_FULL', full],
  ['SQLITE_READONLY_DBMOVED', ['another program deleted or replaced the file', 'Start again to use the new one']],
  ['SQLITE_READONLY', readOnly],
  ['SQLITE_PERM', denied],
  [
    'SQLITE_CANTOPEN',
    [
      'it cannot be opened',
      'Check that its folder exists and that this user may write it, and the limit of file descriptors (`ulimit -n`)',
    ],
  ],
  [
    'SQLITE_IOERR',
    [
      'the disk does not read or write; it may be full, read-only or broken',
      'Free space on it, make it writable, or use another one',
    ],
  ],
  ['SQLITE_BUSY', locked],
  ['SQLITE_LOCKED', locked],
  ['SQLITE_PROTOCOL', locked],
])

/**
 * Returns the problem of a file or disk, and a solution, by the code of an error or of its causes. Returns null for all
 * other errors.
 */
export function describeSystemError(error: unknown): string | null {
  // The innermost cause is the most precise, because a store that does not answer wraps the error of its file.
  for (const cause of listCauses(error).toReversed()) {
    const { code, extendedCode = code } = cause as { code?: unknown; extendedCode?: unknown }
    if (typeof extendedCode !== 'string') continue
    const known = [extendedCode, String(code), readSqliteCode(cause)].find((one) => systemProblems.has(one ?? ''))
    const [problem, solution] = systemProblems.get(known ?? '') ?? []
    if (problem !== undefined) return `${problem} (${extendedCode}). ${solution}`
  }
  return null
}

/** Returns the problem of a file or disk as a sentence that names the file, or null for all other errors. */
export function describeFileError(thrown: unknown): string | null {
  const error = revealFolderError(thrown)
  const [problem, path] = [describeSystemError(error), readPath(error)]
  if (problem === null) return null
  return path === undefined ? `${problem.charAt(0).toUpperCase()}${problem.slice(1)}` : `Cannot use ${path}: ${problem}`
}

/** Returns the reason why a folder cannot be created: `mkdir` with `recursive` reports ENOENT on a read-only disk. */
function revealFolderError(error: unknown): unknown {
  const { code, syscall, path } = (error ?? {}) as Readonly<Record<string, unknown>>
  if (code !== 'ENOENT' || syscall !== 'mkdir' || typeof path !== 'string') return error
  let parent = dirname(resolve(path))
  while (!existsSync(parent)) parent = dirname(parent)
  try {
    accessSync(parent, constants.W_OK)
    return error
  } catch (denied) {
    return Object.assign(denied as Error, { path })
  }
}

/** Returns the path of a failed call of the file system. */
export function readPath(error: unknown): string | undefined {
  return listCauses(error)
    .map((cause) => (cause as { path?: unknown }).path)
    .find((path) => typeof path === 'string')
}

/** Returns an error and its causes, at most eight. */
export function listCauses(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; cause instanceof Error && causes.length < 8; cause = cause.cause) causes.push(cause)
  return causes
}

/** Returns SQLite's primary result code of an error or of its causes. */
export function sqliteCode(error: unknown): string | undefined {
  return listCauses(error)
    .map(readSqliteCode)
    .find((code) => code !== undefined)
}

const readSqliteCode = (error: Error): string | undefined =>
  /^SQLITE_[A-Z]+/.exec(String((error as { code?: unknown }).code))?.[0]
