import { flags, UsageError, type Values } from '../flags.ts'
import type { ServerConfig } from '../../server-config.ts'

/** Where telemetry goes on to: of servers, which say so, and of workers, which send it. */
export const sinkFlags = flags({
  'telemetry-url': {
    kind: 'text',
    value: 'URL',
    help: 'a collector that takes logs over OTLP/HTTP: https://otel.example.com/v1/logs',
  },
  'telemetry-headers': {
    kind: 'text',
    value: 'NAME=VALUE,..',
    help: 'what the collector wants to see, such as a key; better set by its variable',
  },
  'telemetry-days': {
    kind: 'number',
    value: 'DAYS',
    preset: 90,
    least: 1,
    most: 3650,
    help: 'how long telemetry is kept here',
  },
  'feedback-days': {
    kind: 'number',
    value: 'DAYS',
    preset: 365,
    least: 1,
    most: 3650,
    help: 'how long feedback of the command line is kept',
  },
  'job-days': {
    kind: 'number',
    value: 'DAYS',
    preset: 365,
    least: 30,
    most: 3650,
    help: 'how long a finished job and its outcomes are kept',
  },
  'audit-days': {
    kind: 'number',
    value: 'DAYS',
    preset: 730,
    least: 90,
    most: 3650,
    help: 'how long the audit keeps what operators changed',
  },
  'report-days': {
    kind: 'number',
    value: 'DAYS',
    preset: 365,
    least: 30,
    most: 3650,
    help: "how long an agent's report is kept after somebody last touched it",
  },
})

/** Who reads what people and agents write. */
export const contactFlag = flags({
  'contact-email': {
    kind: 'text',
    value: 'ADDRESS',
    help: "where feedback and agents' reports are mailed; the operator's page shows them too",
  },
  'report-evidence': {
    kind: 'number',
    preset: 100,
    most: 10_000,
    help: 'pieces of evidence that one report keeps, of all who sent the same',
  },
})

/** How long things are kept: part of a service's options. */
export function retentionOf(
  given: Values<typeof sinkFlags>,
): Pick<ServerConfig['service'], 'telemetryDays' | 'feedbackDays' | 'jobDays' | 'reportDays' | 'auditDays'> {
  return {
    telemetryDays: given['telemetry-days'],
    feedbackDays: given['feedback-days'],
    jobDays: given['job-days'],
    reportDays: given['report-days'],
    auditDays: given['audit-days'],
  }
}

/** The collector's part of a plan. Throws `UsageError`. */
export function sinkOf(given: Values<typeof sinkFlags>): ServerConfig['telemetry'] {
  const [url, list] = [given['telemetry-url'], given['telemetry-headers']]
  if (url === undefined) return undefined
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new UsageError(`--telemetry-url is an address of http or https, not "${url}".`)
  const pairs = (list ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      const at = one.indexOf('=')
      // The value is a secret, so it is not said.
      if (!/^[A-Za-z0-9-]+$/.test(one.slice(0, Math.max(0, at))))
        throw new UsageError('--telemetry-headers is name=value, several divided by commas.')
      return [one.slice(0, at).toLowerCase(), one.slice(at + 1)] as const
    })
  return { url, headers: Object.fromEntries(pairs) }
}

/** The contact's part of a service's options. Throws `UsageError`. */
export function contactOf(given: Values<typeof contactFlag>): Pick<ServerConfig['service'], 'contactEmail'> {
  const address = given['contact-email']
  if (address === undefined) return {}
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(address))
    throw new UsageError(`--contact-email is an address like team@example.com, not "${address}".`)
  return { contactEmail: address }
}
