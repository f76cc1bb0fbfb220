import { Unavailable } from '@tributary/core'
import { MigrationError } from '@tributary/core/libsql'
import { UsageError } from '../flags.ts'
import type { DatabasePlan } from '../plan.ts'
import { Problem } from './command.ts'

/** The database that the flags name. Throws `UsageError` when they name none. */
export function databaseOf(given: { readonly database?: string | undefined; readonly 'database-token'?: string | undefined }): DatabasePlan {
  if (!given.database) throw new UsageError('Say which database: --database ./tributary.db, or libsql://... with TRIBUTARY_DATABASE_TOKEN.')
  return { url: given.database, authToken: given['database-token'] }
}

/** What to say and which exit code for what a command threw; null for a bug, whose stack says more. */
export function explain(error: unknown): { code: number; message: string } | null {
  if (error instanceof UsageError) return { code: 2, message: error.message }
  if (error instanceof Problem || error instanceof MigrationError) return { code: 1, message: error.message }
  const { code, port, address } = (error ?? {}) as { code?: unknown; port?: unknown; address?: unknown }
  if (code === 'EADDRINUSE') return { code: 1, message: `Port ${String(port)} of ${String(address)} is taken. Stop what listens there, or take another with --port (0: any free one).` }
  if (code === 'EACCES' && port !== undefined) return { code: 1, message: `This user may not listen on port ${String(port)}. Take one above 1023 with --port.` }
  if (Unavailable.is(error)) return { code: 1, message: `${error.message}. See that the path or address is right, that this user may write there, and that no other process holds the file; \`tributary doctor\` looks closer.` }
  return null
}
