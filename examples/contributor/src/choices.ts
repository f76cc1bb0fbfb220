import { basename } from 'node:path'
import { configFile, readJson, writeJson } from './files.ts'
import type { Terminal } from './terminal.ts'

/** What a person chose to contribute, remembered in `choices.json`. */
export interface Choices {
  /** Ids of `places`; empty: every tool. */
  readonly sources: readonly string[]
  /** Folders or their names; empty: every project. */
  readonly projects: readonly string[]
  readonly excludedProjects: readonly string[]
  /** Words that must not appear in a stored trace. */
  readonly blockedTerms: readonly string[]
}

const noChoices: Choices = { sources: [], projects: [], excludedProjects: [], blockedTerms: [] }

/** Reads the choices; null before the first `setup`. */
export function readChoices(terminal: Terminal): Choices | null {
  const stored = readJson(configFile(terminal, 'choices.json')) as Partial<Choices> | null
  return stored && { ...noChoices, ...stored }
}

/** Adds to the stored choices, after deleting them if `reset` is set, and returns them. */
export function saveChoices(terminal: Terminal, added: Partial<Choices>, reset: boolean): Choices {
  const before = (reset ? null : readChoices(terminal)) ?? noChoices
  const join = (name: keyof Choices): string[] => [...new Set([...before[name], ...(added[name] ?? [])])]
  const excludedProjects = join('excludedProjects').filter((one) => !added.projects?.includes(one))
  const projects = join('projects').filter((one) => !added.excludedProjects?.includes(one))
  const choices: Choices = { sources: join('sources'), projects, excludedProjects, blockedTerms: join('blockedTerms') }
  writeJson(configFile(terminal, 'choices.json'), choices)
  return choices
}

/** Whether a choice names a project: by its whole path, a folder above it, or the name of its folder. */
function names(choice: string, project: string): boolean {
  return project === choice || project.startsWith(`${choice}/`) || basename(project) === choice
}

/** Whether sessions of a project are contributed. A session whose project is unknown is, unless projects were chosen. */
export function isChosen({ projects, excludedProjects }: Choices, project: string | null): boolean {
  if (project === null) return projects.length === 0
  if (excludedProjects.some((choice) => names(choice, project))) return false
  return projects.length === 0 || projects.some((choice) => names(choice, project))
}
