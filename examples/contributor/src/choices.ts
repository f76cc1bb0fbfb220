import { basename, join, resolve } from 'node:path'
import { locateConfigFile, readJson, writeJson } from './files.ts'
import type { Terminal } from './terminal.ts'

/** The folders that a person chose to contribute, stored in `choices.json`. */
export interface Choices {
  /** Ids of `places`. Empty means every tool. */
  readonly sources: readonly string[]
  /** Folders or their names. Empty means every project. */
  readonly projects: readonly string[]
  readonly excludedProjects: readonly string[]
  /** Words that must not appear in a stored trace. */
  readonly blockedTerms: readonly string[]
}

const noChoices: Choices = { sources: [], projects: [], excludedProjects: [], blockedTerms: [] }

/** Reads the choices. Returns null before the first `setup`. */
export function readChoices(terminal: Terminal): Choices | null {
  const stored = readJson(locateConfigFile(terminal, 'choices.json')) as Partial<Choices> | null
  return stored && { ...noChoices, ...stored }
}

/** Returns the blocked terms that `setup` stored. */
export function readBlockedTerms(terminal: Terminal): readonly string[] {
  return readChoices(terminal)?.blockedTerms ?? []
}

/**
 * Adds choices to the stored choices, and returns the result. If `reset` is set, the stored choices are deleted first.
 */
export function saveChoices(terminal: Terminal, added: Partial<Choices>, reset: boolean): Choices {
  const before = (reset ? null : readChoices(terminal)) ?? noChoices
  const mergeChoices = (name: keyof Choices): string[] => [...new Set([...before[name], ...(added[name] ?? [])])]
  const excludedProjects = mergeChoices('excludedProjects').filter((one) => !added.projects?.includes(one))
  const projects = mergeChoices('projects').filter((one) => !added.excludedProjects?.includes(one))
  const choices: Choices = {
    sources: mergeChoices('sources'),
    projects,
    excludedProjects,
    blockedTerms: mergeChoices('blockedTerms'),
  }
  writeJson(locateConfigFile(terminal, 'choices.json'), choices)
  return choices
}

/**
 * Returns a project as it is stored: the name of a folder unchanged, and a path (`.`, `./x`, `~/x`, `/x/`) as an
 * absolute path.
 */
export function resolveProject({ home }: Terminal, project: string): string {
  if (/^~(\/|$)/.test(project)) return join(home, project.slice(1)).replace(/(?<=.)\/$/, '')
  return project === '.' || project.includes('/') ? resolve(project) : project
}

/**
 * Returns whether a choice names a project: by the project's whole path, by a folder above the project, or by the name
 * of the project's folder.
 */
function matchesProject(choice: string, project: string): boolean {
  return project === choice || project.startsWith(`${choice}/`) || basename(project) === choice
}

/**
 * Returns whether sessions of a project are contributed. A session with an unknown project is contributed unless
 * projects were chosen.
 */
export function isChosen({ projects, excludedProjects }: Choices, project: string | null): boolean {
  if (project === null) return projects.length === 0
  if (excludedProjects.some((choice) => matchesProject(choice, project))) return false
  return projects.length === 0 || projects.some((choice) => matchesProject(choice, project))
}
