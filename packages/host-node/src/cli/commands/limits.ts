import type { BodyDeadlines } from '../../http/request.ts'
import { flags, UsageError, type Values } from '../flags.ts'
import type { ServerConfig } from '../../server-config.ts'

const megabyte = 1024 * 1024
const dayMs = 24 * 60 * 60 * 1000

/** What one person, and all together, may send. `--rate-limits off` turns all but the time limits of bodies off. */
export const limitFlags = flags({
  'rate-limits': {
    kind: 'text',
    among: ['on', 'off'],
    preset: 'on',
    help: 'whether calls and bytes are counted and limited',
  },
  'waiting-upload-bytes': {
    kind: 'number',
    value: 'BYTES',
    help: "bytes of one person's uploads that may wait for a worker; default: 268435456, or --ingest-limit if that is more",
  },
  'person-body-bytes': {
    kind: 'number',
    value: 'BYTES',
    help: "bytes of one person's request bodies at a time in this process; default: --ingest-limit and 1 MiB",
  },
  'process-body-bytes': {
    kind: 'number',
    value: 'BYTES',
    help: 'bytes of all request bodies at a time in this process; default: 3.5 times --person-body-bytes',
  },
  'telemetry-bytes': {
    kind: 'number',
    value: 'BYTES',
    preset: 5 * megabyte,
    least: 1,
    help: 'bytes of telemetry a day of one person',
  },
  'report-bytes': {
    kind: 'number',
    value: 'BYTES',
    preset: 2 * megabyte,
    least: 1,
    help: "bytes of agents' reports a day from one address",
  },
  'body-bytes-per-second': {
    kind: 'number',
    value: 'BYTES',
    preset: 16_384,
    help: 'the slowest that a request body may come, measured over --body-timeout-seconds',
  },
  'body-timeout-seconds': {
    kind: 'number',
    preset: 10,
    least: 1,
    most: 300,
    help: 'how long a slow body is waited for',
  },
  'body-max-seconds': { kind: 'number', preset: 300, least: 1, most: 3600, help: 'how long any body is waited for' },
})

type Limits = Values<typeof limitFlags>

/** The limits' part of a service's options. Throws `UsageError`. */
export function limitsOf(
  given: Limits & { readonly 'ingest-limit': number },
): Pick<ServerConfig['service'], 'rates' | 'quotas'> {
  if (given['rate-limits'] === 'off') return { rates: 'off' }
  const ingestLimit = given['ingest-limit']
  const refuse = (flag: string, least: number): never => {
    throw new UsageError(
      `--${flag} is ${least} or more, so that a batch of --ingest-limit (${ingestLimit} bytes) can be sent.`,
    )
  }
  const {
    'waiting-upload-bytes': waitingUploadBytes,
    'person-body-bytes': personBodyBytes,
    'process-body-bytes': processBodyBytes,
  } = given
  const leastPerson = ingestLimit + megabyte
  const leastProcess = Math.ceil(((personBodyBytes ?? leastPerson) * 8) / 7)
  if (waitingUploadBytes !== undefined && waitingUploadBytes < ingestLimit) refuse('waiting-upload-bytes', ingestLimit)
  if (personBodyBytes !== undefined && personBodyBytes < leastPerson) refuse('person-body-bytes', leastPerson)
  if (processBodyBytes !== undefined && processBodyBytes < leastProcess) refuse('process-body-bytes', leastProcess)
  return {
    rates: {
      telemetry_bytes: { limit: given['telemetry-bytes'], windowMs: dayMs },
      report_bytes: { limit: given['report-bytes'], windowMs: dayMs },
    },
    quotas: {
      ...(waitingUploadBytes === undefined ? {} : { waitingUploadBytes }),
      ...(personBodyBytes === undefined ? {} : { personBodyBytes }),
      ...(processBodyBytes === undefined ? {} : { processBodyBytes }),
    },
  }
}

/** How slow a request body may come. */
export const bodyDeadlinesOf = (given: Limits): BodyDeadlines => ({
  bodyTimeoutMs: given['body-timeout-seconds'] * 1000,
  bodyMaxMs: given['body-max-seconds'] * 1000,
  bodyBytesPerSecond: given['body-bytes-per-second'],
})
