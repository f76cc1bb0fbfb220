import type { Runtime } from './runtime.ts'

const isSet = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase())

/** Variables that CI systems set; nearly all set `CI`. */
const ciVariables = [
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
 * Returns the reason why this client shows, fetches and counts nothing, or null if there is no such reason. `force` is
 * for prompts that read the line through a pipe (`PS1='$(…)'`): it means that a person will see the line. It does not
 * override the person's choice or CI.
 */
export function findSilence({ env, tty }: Pick<Runtime, 'env' | 'tty'>, force: boolean): Silence | null {
  if (isSet(env['DO_NOT_TRACK']) || isSet(env['DNT'])) return 'do_not_track'
  if (ciVariables.some((name) => isSet(env[name]))) return 'ci'
  if (force) return null
  if (!tty) return 'not_a_terminal'
  return env['TERM'] === 'dumb' ? 'dumb_terminal' : null
}

export const silenceText: Record<Silence, string> = {
  do_not_track: 'DO_NOT_TRACK or DNT is set',
  ci: 'this is a CI system',
  not_a_terminal: 'stdout is not a terminal; use --force to show the line anyway',
  dumb_terminal: 'TERM is `dumb`; use --force to show the line anyway',
}
