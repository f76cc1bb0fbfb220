import { basename } from 'node:path'
import { chunkBytes, splitTrace } from './chunk.ts'
import { isChosen, readChoices, type Choices } from './choices.ts'
import { fitDetails } from './sessions/details.ts'
import { readFile } from './sessions/file.ts'
import { expandPaths, findSessions } from './sessions/places.ts'
import type { Trace } from './sessions/trace.ts'
import { toPlainText, CommandError, type Terminal } from './terminal.ts'

/** A conversation that would be sent, with the data that only this machine has about it. */
export interface SelectedTrace {
  readonly trace: Trace
  readonly file: string
  readonly project: string | null
}

/** The conversations of the named files, or of the files that were chosen with `setup`. */
export interface Selection {
  readonly traces: readonly SelectedTrace[]
  readonly files: number
  /** Files in which no readable conversation was found. */
  readonly unreadable: readonly string[]
  /** Files of projects that were not chosen. */
  readonly excludedFiles: number
  /** Lines and entries that were left out of the files. */
  readonly skippedLines: number
}

/**
 * Reads the conversations of the named files and folders. Without names, it reads the sessions that `setup` chose or,
 * with `all`, every session on this machine that is not excluded. Throws `CommandError` if a path does not exist or
 * there is nothing to contribute.
 */
export function selectTraces(terminal: Terminal, named: readonly string[], all: boolean): Selection {
  const choices = readChoices(terminal)
  const files = named.length > 0 ? expandNamed(named) : listChosenFiles(terminal, choices, all)
  const traces: SelectedTrace[] = []
  const unreadable: string[] = []
  let [skippedLines, excludedFiles] = [0, 0]
  for (const [index, file] of files.entries()) {
    if (index % 50 === 49) terminal.progress(`Reading ${index + 1} of ${files.length} files`)
    const reading = readFile(file)
    skippedLines += reading?.skipped ?? 0
    if (!reading || reading.traces.length === 0) {
      unreadable.push(file)
    } else if (named.length === 0 && choices && !isChosen(choices, reading.project)) {
      excludedFiles++
    } else {
      for (const read of reading.traces) {
        const { trace: whole, changes } = fitDetails(read)
        if (changes.length > 0) terminal.note(`${toPlainText(basename(file))}: ${changes.join(', ')}.`)
        for (const trace of splitTrace(whole, chunkBytes)) traces.push({ trace, file, project: reading.project })
      }
    }
  }
  if (traces.length === 0) throw makeNothingFoundError(named, unreadable, excludedFiles)
  return { traces, files: files.length, unreadable, excludedFiles, skippedLines }
}

function expandNamed(named: readonly string[]): string[] {
  try {
    return expandPaths(named)
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException
    throw new CommandError('file_not_found', `File not found: ${toPlainText(path ?? String(code))}`)
  }
}

function listChosenFiles(terminal: Terminal, choices: Choices | null, all: boolean): string[] {
  if (!choices && !all) {
    throw new CommandError(
      'usage',
      'Name the files to read, choose with `setup`, or use --all for every session on this machine.',
      2,
      ['setup', 'preview --all'],
    )
  }
  const sources = choices?.sources ?? []
  return findSessions(terminal.home)
    .filter(({ place }) => sources.length === 0 || sources.includes(place.id))
    .flatMap(({ files }) => files)
}

function makeNothingFoundError(
  named: readonly string[],
  unreadable: readonly string[],
  excludedFiles: number,
): CommandError {
  if (unreadable.length > 0 && excludedFiles === 0) {
    const shown = unreadable.slice(0, 5).map((file) => `  ${toPlainText(file)}`)
    if (unreadable.length > 5) shown.push(`  and ${unreadable.length - 5} more`)
    return new CommandError(
      'no_conversation',
      `No conversation that this client can read in:\n${shown.join('\n')}\nSee \`upload --help\` for the formats.`,
    )
  }
  const where = named.length > 0 ? 'The folder has no session files.' : 'No session matches the choices of `setup`.'
  return new CommandError('nothing_selected', `${where} Name files, or change the choices with \`setup\`.`, 1, [
    'setup',
  ])
}
