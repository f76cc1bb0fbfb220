import { eq, sql, type SQL } from 'drizzle-orm'
import type { BlockedTermStore } from '../../contributors/blocked-terms/store.ts'
import { jsonArgument, type Database } from './database.ts'
import { build, insertSelect, ownerNum, prepare, type Param } from './statement.ts'
import { scrubContexts } from './tables/contributors.ts'
import { users } from './tables/sessions.ts'

/**
 * Returns the statement that raises the identity revision of all users who meet a condition, so that their traces are
 * scrubbed again. The condition compares stored values with the values that the next statement of the batch stores.
 */
export function raiseIdentityRevision(condition: SQL): SQL {
  return insertSelect(
    scrubContexts,
    { owner: users.num, terms: sql`'[]'`, termsAt: sql`null`, revision: sql`1`, due: sql`1`, cursor: sql`0` },
    sql`from ${users} where ${condition}
      on conflict (owner) do update set revision = ${scrubContexts.revision} + 1, due = 1, cursor = 0`,
  )
}

/** Returns the identity revision of the owner with this short key. */
export const selectRevision = (ownerKey: SQL | typeof users.num): SQL<number> =>
  sql`coalesce((select ${scrubContexts.revision} from ${scrubContexts} where ${scrubContexts.owner} = ${ownerKey}), 0)`

const selectTerms = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({ terms: scrubContexts.terms, updatedAt: scrubContexts.termsAt, identityRevision: scrubContexts.revision })
    .from(scrubContexts)
    .where(eq(scrubContexts.owner, ownerNum(ownerId))),
)

const storedTerms = (ownerId: Param) =>
  sql`coalesce((select ${scrubContexts.terms} from ${scrubContexts} where ${scrubContexts.owner} = ${ownerNum(ownerId)}), '[]')`

interface UpsertTermsArgs {
  readonly ownerId: string
  readonly terms: string
  readonly now: number
  /** The list to replace, as JSON. Null means that any list is replaced. */
  readonly replaces: string | null
}
const upsertTerms = prepare<UpsertTermsArgs>()(({ ownerId, terms, now, replaces }) => {
  const hasTerms = sql`iif(${terms} = '[]', 0, 1)`
  const isChanged = sql`${scrubContexts.terms} <> excluded.terms`
  return insertSelect(
    scrubContexts,
    { owner: users.num, terms, termsAt: now, revision: hasTerms, due: hasTerms, cursor: sql`0` },
    sql`from ${users} where ${users.id} = ${ownerId} and (${replaces} is null or ${replaces} = ${storedTerms(ownerId)})
      on conflict (owner) do update set terms = excluded.terms, terms_at = excluded.terms_at,
        revision = ${scrubContexts.revision} + iif(${isChanged}, 1, 0), due = iif(${isChanged}, 1, ${scrubContexts.due}),
        cursor = iif(${isChanged}, 0, ${scrubContexts.cursor})`,
  )
})

const deleteContext = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build.delete(scrubContexts).where(eq(scrubContexts.owner, ownerNum(ownerId))),
)

/** Returns the store of blocked terms over libSQL. `contributors/blocked-terms/store.ts` describes the guarantees. */
export function libsqlBlockedTerms(db: Database): BlockedTermStore {
  const find = async (ownerId: string) => {
    const [row] = await db.read(selectTerms({ ownerId }))
    return row
      ? { ...row, terms: JSON.parse(row.terms) as string[] }
      : { terms: [], updatedAt: null, identityRevision: 0 }
  }
  return {
    findTerms: ({ ownerId }) => find(ownerId),
    async saveTerms({ ownerId, terms, now, replaces }) {
      const args = { ownerId, terms: jsonArgument(terms), now, replaces: replaces ? jsonArgument(replaces) : null }
      const [saved] = await db.write([upsertTerms(args)])
      return saved.changed === 1
    },
    async export({ ownerId }) {
      const { terms, updatedAt } = await find(ownerId)
      return { terms, updatedAt }
    },
    async erase({ ownerId }) {
      await db.write([deleteContext({ ownerId })])
      return false
    },
  }
}
