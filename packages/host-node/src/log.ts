import type { Logger } from '@tributary/core'
import { pino } from 'pino'

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const

/** Headers and fields that hold a credential are never written, wherever they come up. */
const secret = [
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

/** JSON lines on stderr, so that a command's own output stays on stdout. */
export function createLogger(level: string): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: secret },
    pino.destination({ dest: 2, sync: true }),
  )
}
