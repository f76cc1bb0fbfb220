import { existsSync } from 'node:fs'
import { moveContents } from '@tributary/core/host'
import { createBlobs, localPath, openStore } from '../../server-config.ts'
import { createLogger } from '../../log.ts'
import { CommandError } from '../errors.ts'
import { databaseFlags, parsePersistentDatabase } from '../flags/database.ts'
import { defineFlags, UsageError } from '../flags/flag.ts'
import { jsonFlags, parseBlobs, parseSecret, requireSecret, secretFlags, serviceFlags } from '../flags/service.ts'
import { inspectDatabase, requireWritable } from '../inspect-database.ts'
import { defineCommand } from '../program.ts'
import { printProgress } from './backup.ts'

/** The number of contents after which progress is printed again. */
const progressStep = 1_000

/** `tributary contents move`: moves the messages of stored traces to the blobs or back. */
export const contentsCommand = defineCommand({
  description: `\`tributary contents move\` moves the messages of stored traces: to the blobs, messages of
--content-bytes or more; to the database, all messages. Servers and workers may run meanwhile. After an interruption, run the
same command again to continue.`,
  example:
    'tributary contents move --to blobs --database ./tributary.db --blobs s3:my-bucket/traces --secret "$SECRET"',
  flags: {
    ...databaseFlags,
    ...jsonFlags,
    ...secretFlags,
    'blobs': serviceFlags['blobs'],
    'content-bytes': serviceFlags['content-bytes'],
    ...defineFlags({
      'to': { kind: 'text', placeholder: 'blobs|database', help: 'where the contents are stored afterwards' },
      'admin-token': { kind: 'text', help: "the server's admin token, if its secret is derived from the token" },
    }),
  },
  files: 'move',
  async run(flags, output, [action, ...rest]) {
    if (action !== 'move' || rest.length > 0) throw new UsageError('The only action is `tributary contents move`')
    const { to } = flags
    if (to !== 'blobs' && to !== 'database') throw new UsageError('--to: expected "blobs" or "database"')
    requireSecret(flags)
    const blobs = createBlobs(parseBlobs(flags.blobs))
    if (!blobs) throw new UsageError('--blobs is required: the folder or bucket in which the servers look for contents')
    const database = parsePersistentDatabase(flags)
    const path = localPath(database)
    if (path !== null && !existsSync(path)) throw new CommandError(`File not found: ${path}`)
    await inspectDatabase(database)
    requireWritable(path)
    const { stores, close } = await openStore(database)
    try {
      const { moved, missing } = await moveContents(
        {
          baseUrl: 'http://127.0.0.1',
          stores,
          logger: createLogger('warn'),
          contentBytes: flags['content-bytes'],
          blobs,
          ...parseSecret(flags),
          ...(flags['admin-token'] === undefined ? {} : { adminToken: flags['admin-token'] }),
        },
        to,
        (count) => {
          if (count % progressStep === 0) printProgress(flags.json, output, `${count} moved`)
        },
      )
      if (missing > 0)
        throw new CommandError(
          `Moved ${moved} contents; ${missing} are not in these blobs. Give the --blobs that the servers use, and run the command again.`,
        )
      const note =
        to === 'blobs' && moved > 0 ? ' Servers need --contents blobs and the same --blobs and --secret.' : ''
      output.out(
        flags.json ? `${JSON.stringify({ ok: true, to, moved })}\n` : `Moved ${moved} contents to the ${to}.${note}\n`,
      )
      return 0
    } finally {
      await close()
    }
  },
})
