import { basename } from 'node:path'
import { isChosen, resolveProject, saveChoices, type Choices } from './choices.ts'
import { readFile } from './sessions/file.ts'
import { findSessions, places } from './sessions/places.ts'
import { CommandError, formatTable, toPlainText, formatCount, type CommandResult, type Terminal } from './terminal.ts'

/** A project, and the number of sessions that tools stored for it. */
interface Project {
  readonly project: string | null
  readonly sessions: number
  readonly chosen: boolean
}

export interface SetupFlags {
  readonly 'source'?: readonly string[]
  readonly 'project'?: readonly string[]
  readonly 'exclude-project'?: readonly string[]
  readonly 'blocked-term'?: readonly string[]
  readonly 'reset'?: boolean
}

/** Shows the sessions on this machine, and stores which of them are contributed. Sends nothing. */
export function setUpClient(terminal: Terminal, flags: SetupFlags): CommandResult {
  const unknown = flags.source?.find((source) => !places.some(({ id }) => id === source))
  if (unknown !== undefined) {
    const names = places.map(({ id }) => id).join(', ')
    throw new CommandError('usage', `--source: \`${toPlainText(unknown)}\` is not one of ${names}.`, 2)
  }
  const shortTerm = flags['blocked-term']?.find((term) => term.trim().length < 2 || term.length > 128)
  if (shortTerm !== undefined) throw new CommandError('usage', '--blocked-term: use 2 to 128 characters.', 2)
  const found = findSessions(terminal.home)
  const choices = saveChoices(
    terminal,
    {
      ...(flags.source && { sources: flags.source }),
      ...(flags.project && { projects: flags.project.map((one) => resolveProject(terminal, one)) }),
      ...(flags['exclude-project'] && {
        excludedProjects: flags['exclude-project'].map((one) => resolveProject(terminal, one)),
      }),
      ...(flags['blocked-term'] && { blockedTerms: flags['blocked-term'] }),
    },
    flags.reset === true,
  )
  const sources = found.map(({ place, files }) => ({ source: place.id, tool: place.tool, sessions: files.length }))
  const isUsed = (source: string): boolean => choices.sources.length === 0 || choices.sources.includes(source)
  const projects = countProjects(
    found.filter(({ place }) => isUsed(place.id)).flatMap(({ files }) => files),
    choices,
  )
  const rows = projects.map(({ project, sessions, chosen }) => [
    chosen ? 'yes' : 'no',
    project === null ? '(unknown)' : toPlainText(project),
    String(sessions),
  ])
  const text = [
    formatTable(
      ['source', 'tool', 'sessions', 'used'],
      sources.map(({ source, tool, sessions }) => [source, tool, String(sessions), isUsed(source) ? 'yes' : 'no']),
      ['sessions'],
    ),
    '',
    rows.length > 0 ? formatTable(['used', 'project', 'sessions'], rows, ['sessions']) : 'No sessions found.',
    '',
    `${formatCount(choices.blockedTerms.length, 'blocked term')}. Nothing was sent.`,
    'Change a choice with --source, --project, --exclude-project or --blocked-term; start again with --reset.',
  ].join('\n')
  return { json: { sources, projects, choices }, text, nextSteps: ['preview'] }
}

function countProjects(files: readonly string[], choices: Choices): Project[] {
  const counts = new Map<string | null, number>()
  for (const file of files) {
    const reading = readFile(file)
    if (reading && reading.traces.length > 0) counts.set(reading.project, (counts.get(reading.project) ?? 0) + 1)
  }
  return [...counts]
    .map(([project, sessions]) => ({ project, sessions, chosen: isChosen(choices, project) }))
    .sort((a, b) => basename(a.project ?? '').localeCompare(basename(b.project ?? '')))
}
