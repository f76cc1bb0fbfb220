import { serviceOptions } from '@tributary/core/host'
import type { ServerConfig } from '../../server-config.ts'
import { splitList } from './addresses.ts'
import { defineFlags, optionFlags, UsageError, type FlagValues } from './flag.ts'

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
  ...optionFlags(serviceOptions, 'telemetryDays', 'feedbackDays', 'jobDays', 'auditDays', 'reportDays'),
})

/** The flags for the contact address and for the evidence in agents' reports. */
export const contactFlags = optionFlags(serviceOptions, 'contactEmail', 'reportEvidence')

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
