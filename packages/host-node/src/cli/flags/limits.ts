import type { BodyDeadlines } from '../../http/request.ts'
import type { ServerConfig } from '../../server-config.ts'
import { defineFlags, UsageError, type FlagValues } from './flag.ts'

const megabyte = 1024 * 1024
const dayMs = 24 * 60 * 60 * 1000

/**
 * The limits of one person and of the process. `--rate-limits off` turns all of them off except the deadlines of
 * bodies.
 */
export const limitFlags = defineFlags({
  'rate-limits': {
    kind: 'text',
    choices: ['on', 'off'],
    default: 'on',
    help: 'limit calls and bytes',
  },
  'waiting-upload-bytes': {
    kind: 'number',
    placeholder: 'BYTES',
    help: "bytes of one person's uploads that may wait for a worker (default: 268435456, or --ingest-limit if that is more)",
  },
  'person-body-bytes': {
    kind: 'number',
    placeholder: 'BYTES',
    help: "bytes of one person's request bodies at a time in this process (default: --ingest-limit plus 1 MiB)",
  },
  'process-body-bytes': {
    kind: 'number',
    placeholder: 'BYTES',
    help: 'bytes of all request bodies at a time in this process (default: 3.5 times --person-body-bytes)',
  },
  'telemetry-bytes': {
    kind: 'number',
    placeholder: 'BYTES',
    default: 5 * megabyte,
    min: 1,
    help: 'bytes of telemetry per person and day',
  },
  'report-bytes': {
    kind: 'number',
    placeholder: 'BYTES',
    default: 2 * megabyte,
    min: 1,
    help: "bytes of agents' reports per address and day",
  },
  'body-bytes-per-second': {
    kind: 'number',
    placeholder: 'BYTES',
    default: 16_384,
    help: 'the lowest rate of a request body, measured over --body-timeout-seconds',
  },
  'body-timeout-seconds': {
    kind: 'number',
    default: 10,
    min: 1,
    max: 300,
    help: 'the window over which the rate of a request body is measured',
  },
  'body-max-seconds': {
    kind: 'number',
    default: 300,
    min: 1,
    max: 3600,
    help: 'the longest time that a request body may take',
  },
})

type LimitValues = FlagValues<typeof limitFlags>

/** Returns the rates and quotas of a service. Throws `UsageError` when a batch of `--ingest-limit` would not fit. */
export function parseLimits(
  flags: LimitValues & { readonly 'ingest-limit': number },
): Pick<ServerConfig['service'], 'rates' | 'quotas'> {
  if (flags['rate-limits'] === 'off') return { rates: 'off' }
  const ingestLimit = flags['ingest-limit']
  const {
    'waiting-upload-bytes': waitingUploadBytes,
    'person-body-bytes': personBodyBytes,
    'process-body-bytes': processBodyBytes,
  } = flags
  const requireMin = (flag: string, value: number | undefined, min: number): void => {
    if (value !== undefined && value < min)
      throw new UsageError(
        `--${flag}: expected ${min} or more, so that a batch of --ingest-limit (${ingestLimit}) fits`,
      )
  }
  const minPersonBytes = ingestLimit + megabyte
  requireMin('waiting-upload-bytes', waitingUploadBytes, ingestLimit)
  requireMin('person-body-bytes', personBodyBytes, minPersonBytes)
  requireMin('process-body-bytes', processBodyBytes, Math.ceil(((personBodyBytes ?? minPersonBytes) * 8) / 7))
  return {
    rates: {
      telemetry_bytes: { limit: flags['telemetry-bytes'], windowMs: dayMs },
      report_bytes: { limit: flags['report-bytes'], windowMs: dayMs },
    },
    quotas: {
      ...(waitingUploadBytes === undefined ? {} : { waitingUploadBytes }),
      ...(personBodyBytes === undefined ? {} : { personBodyBytes }),
      ...(processBodyBytes === undefined ? {} : { processBodyBytes }),
    },
  }
}

/** Returns the deadlines of request bodies. */
export const toBodyDeadlines = (flags: LimitValues): BodyDeadlines => ({
  bodyTimeoutMs: flags['body-timeout-seconds'] * 1000,
  bodyMaxMs: flags['body-max-seconds'] * 1000,
  bodyBytesPerSecond: flags['body-bytes-per-second'],
})
