import type { Logger } from '@tributary/core'
import { pino } from 'pino'

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const

/** Headers and fields with credentials, which must not be logged. */
const redactedPaths = [
  'authorization',
  'cookie',
  'token',
  'adminToken',
  'authToken',
  '*.authorization',
  '*.cookie',
  '*.token',
  'headers.authorization',
  'headers.cookie',
]

/** Creates a logger of JSON lines on stderr; stdout is for the output of a command. */
export function createLogger(level: string): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: redactedPaths },
    pino.destination({ dest: 2, sync: true }),
  )
}
