import type { NamedCommand } from '../program.ts'

/**
 * The commands in the order of the help. Each command is loaded only when it is named, because loading its modules
 * takes half a second.
 */
export const commands: readonly NamedCommand[] = [
  {
    name: 'dev',
    summary: 'Serve on this machine only, with a mailbox in place of a mail server',
    load: async () => (await import('./dev.ts')).devCommand,
  },
  {
    name: 'start',
    summary: 'Serve in production, behind a TLS proxy',
    load: async () => (await import('./start.ts')).startCommand,
  },
  {
    name: 'migrate',
    summary: 'Apply pending database migrations',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  {
    name: 'schema',
    summary: 'Print the SQL of the schema, for your own pipeline',
    load: async () => (await import('./schema.ts')).schemaCommand,
  },
  {
    name: 'worker',
    summary: 'Ingest jobs and send mail, without serving',
    load: async () => (await import('./worker.ts')).workerCommand,
  },
  {
    name: 'doctor',
    summary: 'Check everything that `start` needs, and print how to fix it',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'backup',
    summary: 'Copy the database while servers write to it, and check the copy',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    summary: 'Replace the database with a backup, while no server runs',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  {
    name: 'move',
    summary: 'Copy the service to another database, while no server runs',
    load: async () => (await import('./move.ts')).moveCommand,
  },
  {
    name: 'seed',
    summary: 'Fill a database with demo users and traces',
    load: async () => (await import('./seed.ts')).seedCommand,
  },
  {
    name: 'dataset',
    summary: 'Export traces that were sold or may be sold as a package for a buyer',
    load: async () => (await import('./dataset.ts')).datasetCommand,
  },
  {
    name: 'contents',
    summary: 'Move the messages of stored traces to the blobs or back',
    load: async () => (await import('./contents.ts')).contentsCommand,
  },
  {
    name: 'scrub',
    summary: 'Show the texts that the scrubber would replace in files',
    load: async () => (await import('./scrub.ts')).scrubCommand,
  },
  {
    name: 'webhooks',
    summary: 'Forward events to an app in development',
    load: async () => (await import('./webhooks.ts')).webhooksCommand,
  },
]
