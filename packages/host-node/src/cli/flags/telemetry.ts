import type { ServerConfig } from '../../server-config.ts'
import { splitList } from './addresses.ts'
import { defineFlags, UsageError, type FlagValues } from './flag.ts'

/** The destination of exported telemetry, and how long data is kept, for servers and workers. */
export const telemetryFlags = defineFlags({
  'telemetry-url': {
    kind: 'text',
    placeholder: 'URL',
    help: 'the OTLP/HTTP logs endpoint that telemetry is exported to: https://otel.example.com/v1/logs',
  },
  'telemetry-headers': {
    kind: 'text',
    placeholder: 'NAME=VALUE,..',
    help: 'headers of the export, such as an API key; use the variable to keep it out of the shell',
  },
  'telemetry-days': {
    kind: 'number',
    placeholder: 'DAYS',
    default: 90,
    min: 1,
    max: 3650,
    help: 'days that telemetry is kept',
  },
  'feedback-days': {
    kind: 'number',
    placeholder: 'DAYS',
    default: 365,
    min: 1,
    max: 3650,
    help: 'days that feedback from the CLI is kept',
  },
  'job-days': {
    kind: 'number',
    placeholder: 'DAYS',
    default: 365,
    min: 30,
    max: 3650,
    help: 'days that a finished job and its outcomes are kept',
  },
  'audit-days': {
    kind: 'number',
    placeholder: 'DAYS',
    default: 730,
    min: 90,
    max: 3650,
    help: 'days that the audit log is kept',
  },
  'report-days': {
    kind: 'number',
    placeholder: 'DAYS',
    default: 365,
    min: 30,
    max: 3650,
    help: "days that an agent's report is kept after its last change",
  },
})

/** The destinations of feedback and agents' reports. */
export const contactFlags = defineFlags({
  'contact-email': {
    kind: 'text',
    placeholder: 'ADDRESS',
    help: "the address that pages give for questions, and that feedback and agents' reports are mailed to",
  },
  'report-evidence': {
    kind: 'number',
    default: 100,
    max: 10_000,
    help: 'evidence items kept per report, over all its reporters',
  },
})

/** Returns the retention part of the service options. */
export function toRetention(
  flags: FlagValues<typeof telemetryFlags>,
): Pick<ServerConfig['service'], 'telemetryDays' | 'feedbackDays' | 'jobDays' | 'reportDays' | 'auditDays'> {
  return {
    telemetryDays: flags['telemetry-days'],
    feedbackDays: flags['feedback-days'],
    jobDays: flags['job-days'],
    reportDays: flags['report-days'],
    auditDays: flags['audit-days'],
  }
}

/** Returns the telemetry export. Throws `UsageError`. */
export function parseTelemetry(flags: FlagValues<typeof telemetryFlags>): ServerConfig['telemetry'] {
  const [url, list] = [flags['telemetry-url'], flags['telemetry-headers']]
  if (url === undefined) return undefined
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new UsageError(`--telemetry-url: expected an http or https URL, not "${url}"`)
  const pairs = splitList(list).map((item) => {
    const [, name, value] = /^([A-Za-z0-9-]+)=(.*)$/.exec(item) ?? []
    // The value is a secret, so the message does not repeat it.
    if (name === undefined || value === undefined)
      throw new UsageError('--telemetry-headers: expected comma-separated name=value pairs')
    return [name.toLowerCase(), value] as const
  })
  return { url, headers: Object.fromEntries(pairs) }
}

/** Returns the contact's part of the service options. Throws `UsageError`. */
export function parseContact(flags: FlagValues<typeof contactFlags>): Pick<ServerConfig['service'], 'contactEmail'> {
  const address = flags['contact-email']
  if (address === undefined) return {}
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(address))
    throw new UsageError(`--contact-email: expected an e-mail address, not "${address}"`)
  return { contactEmail: address }
}
