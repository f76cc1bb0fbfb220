import type { Surroundings } from './surroundings.ts'

const on = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase())

/** What the builders set; `CI` is set by nearly all of them. */
const builders = [
  'CI',
  'CONTINUOUS_INTEGRATION',
  'GITHUB_ACTIONS',
  'GITLAB_CI',
  'BUILDKITE',
  'JENKINS_URL',
  'TEAMCITY_VERSION',
  'TF_BUILD',
  'CODEBUILD_BUILD_ID',
]

export type Silence = 'do_not_track' | 'ci' | 'not_a_terminal' | 'dumb_terminal'

/**
 * Returns why this client shows, fetches and counts nothing, or null when it may. `force` is for prompts that read the
 * line through a pipe (`PS1='$(…)'`): it says that somebody will see it, and overrides neither the person's choice nor
 * CI.
 */
export function silence({ env, tty }: Pick<Surroundings, 'env' | 'tty'>, force: boolean): Silence | null {
  if (on(env['DO_NOT_TRACK']) || on(env['DNT'])) return 'do_not_track'
  if (builders.some((name) => on(env[name]))) return 'ci'
  if (force) return null
  if (!tty) return 'not_a_terminal'
  return env['TERM'] === 'dumb' ? 'dumb_terminal' : null
}

export const silenceText: Record<Silence, string> = {
  do_not_track: 'DO_NOT_TRACK or DNT is set: nothing is shown, asked or counted',
  ci: 'this is a builder (CI): nothing is shown, asked or counted',
  not_a_terminal: 'stdout is no terminal: nothing is shown without --force',
  dumb_terminal: 'the terminal says that it is dumb: nothing is shown without --force',
}
