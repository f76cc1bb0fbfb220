import { and, asc, eq, gt, inArray, sql, type SQL } from 'drizzle-orm'
import { referenceStart, type ContentStore } from '../../traces/contents/store.ts'
import { maxRowsPerWrite } from './bounded-writes.ts'
import { jsonArgument, type Database } from './database.ts'
import { onJobs } from './jobs.ts'
import { build, jsonValues, prepare } from './statement.ts'
import { contentBlobs, contents, traces } from './tables/traces.ts'

// Triggers on `contents` delete the row of a reference that is stored, and insert a row for a reference that is deleted
// or replaced.
const reserve = prepare<{ keys: string; until: number }>()(
  ({ keys, until }) =>
    sql`insert into ${contentBlobs} (key, due_at, deleting) select value, ${until}, 0 from json_each(${keys})`,
)
const release = prepare<{ keys: string }>()(({ keys }) =>
  build
    .update(contentBlobs)
    .set({ dueAt: 0 })
    .where(inArray(contentBlobs.key, jsonValues(keys))),
)
const claim = prepare<{ now: number; limit: number }>()(({ now, limit }) =>
  build
    .update(contentBlobs)
    .set({ deleting: 1 })
    .where(
      sql`${contentBlobs.key} in (select ${contentBlobs.key} from ${contentBlobs} where ${contentBlobs.dueAt} <= ${now} limit ${limit})`,
    )
    .returning({ key: contentBlobs.key }),
)
const forget = prepare<{ keys: string }>()(({ keys }) =>
  build.delete(contentBlobs).where(inArray(contentBlobs.key, jsonValues(keys))),
)

const isOfTrace = (traceId: SQL | ReturnType<typeof sql.placeholder>): SQL =>
  sql`${contents.trace} = (select ${traces.num} from ${traces} where ${traces.id} = ${traceId})`
const selectContent = prepare<{ traceId: string }>()(({ traceId }) =>
  build.select({ messages: contents.messages }).from(contents).where(isOfTrace(traceId)),
)
const isReference = sql`substr(${contents.messages}, 1, ${sql.raw(String(referenceStart.length))}) = ${sql.raw(`'${referenceStart}'`)}`
const movable = { num: traces.num, traceId: traces.id }
const selectReferences = prepare<{ after: number; limit: number }>()(({ after, limit }) =>
  build
    .select(movable)
    .from(contents)
    .innerJoin(traces, eq(traces.num, contents.trace))
    .where(and(gt(contents.trace, after), isReference))
    .orderBy(asc(contents.trace))
    .limit(limit),
)
const selectMessages = prepare<{ after: number; limit: number; minBytes: number }>()(({ after, limit, minBytes }) =>
  build
    .select(movable)
    .from(contents)
    .innerJoin(traces, eq(traces.num, contents.trace))
    .where(
      and(gt(contents.trace, after), sql`octet_length(${contents.messages}) >= ${minBytes} and not ${isReference}`),
    )
    .orderBy(asc(contents.trace))
    .limit(limit),
)
const replace = prepare<{ traceId: string; expected: string; content: string }>()(({ traceId, expected, content }) =>
  build
    .update(contents)
    .set({ messages: sql`${content}` })
    .where(and(isOfTrace(traceId), eq(contents.messages, expected))),
)

/** Returns the store of contents over libSQL. `traces/contents/store.ts` describes the guarantees. */
export function libsqlContents(db: Database): ContentStore {
  return {
    async reserveBlobs({ keys, until }) {
      await db.write([reserve({ keys: jsonArgument(keys), until })], onJobs)
    },
    async releaseBlobs({ keys }) {
      await db.write([release({ keys: jsonArgument(keys) })], onJobs)
    },
    async claimReleasedBlobs({ now, limit }) {
      const [claimed] = await db.write([claim({ now, limit: Math.min(limit, maxRowsPerWrite) })])
      return claimed.rows.map(({ key }) => key)
    },
    async forgetBlobs({ keys }) {
      await db.write([forget({ keys: jsonArgument(keys) })])
    },
    async readContent(params) {
      return (await db.read(selectContent(params)))[0]?.messages ?? null
    },
    listMovable: ({ to, minBytes, after, limit }) =>
      db.read(to === 'database' ? selectReferences({ after, limit }) : selectMessages({ after, limit, minBytes })),
    async replaceContent(params) {
      const [replaced] = await db.write([replace(params)])
      return replaced.changed === 1
    },
  }
}
