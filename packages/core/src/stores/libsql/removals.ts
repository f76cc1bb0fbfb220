import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { RemovalNotice, RemovalReason } from '../../traces/buyers/store.ts'
import type { Query } from './database.ts'
import { prepareEvent } from './events.ts'
import { insertOutboxEntries } from './outbox.ts'
import { insertSelect, prepare } from './statement.ts'
import { buyers, removals } from './tables/buyers.ts'
import { saleItems, sales } from './tables/traces.ts'

type Placeholders<Params> = { readonly [Name in keyof Params & string]: SQLWrapper }
interface NoticeArgs {
  readonly noticeId: string
  readonly at: number
}

/** The id of a removal: a UUID version 7 that consists of the time and the random bits of the trace's buyer id. */
const removalId = (at: SQLWrapper): SQL =>
  sql`printf('%08x-%04x-7', ${at} >> 16, ${at} & 65535) || substr(${saleItems.buyerId}, 16)`
/** The id of the mail about a notice to a buyer. A repetition of the statement produces the same id. */
const mailId = (noticeId: SQLWrapper): SQL =>
  sql`substr(${noticeId}, 1, 14) || '8' || substr(${noticeId}, 16, 17) || printf('%04x', ${buyers.num} % 65536)`

/**
 * Returns the statements that record which sold traces their buyers must remove, with the mails and events about the
 * removals. The statements must run in the transaction that changes the traces, before the change. `tracesOf` selects
 * the `traces.num` of these traces.
 */
export function prepareRemovals<Params extends object>(
  reason: RemovalReason,
  tracesOf: (params: Placeholders<Params>) => SQL,
): (params: Params, notice: RemovalNotice) => Query[] {
  const fromItems = (params: Placeholders<Params>): SQL =>
    sql`from ${saleItems} cross join ${sales} on ${sales.num} = ${saleItems.sale}
      where ${saleItems.trace} in ${tracesOf(params)} and ${saleItems.buyerId} is not null`
  const fromNewItems = (params: Placeholders<Params>): SQL =>
    sql`${fromItems(params)} and not exists (select 1 from ${removals}
      where ${removals.sale} = ${saleItems.sale} and ${removals.buyerTraceId} = ${saleItems.buyerId})`

  const enqueueMails = prepare<Params & NoticeArgs & { subject: string; text: string }>()((params) => {
    const { noticeId, at, subject, text } = params as unknown as Placeholders<
      NoticeArgs & { subject: string; text: string }
    >
    return insertOutboxEntries(
      {
        id: mailId(noticeId),
        owner: sql`null`,
        channel: sql`'mail'`,
        recipient: buyers.email,
        subject,
        payload: text,
        createdAt: at,
      },
      sql`from ${buyers} where ${buyers.email} is not null and ${buyers.buyerKey} in (
        select ${sales.buyerKey} ${fromNewItems(params as unknown as Placeholders<Params>)})`,
    )
  })
  const enqueueEvents = prepareEvent<Params & NoticeArgs>((params) => {
    const { at } = params as unknown as Placeholders<NoticeArgs>
    return {
      id: removalId(at),
      owner: sql`null`,
      subject: sales.id,
      data: sql`json_object('id', ${removalId(at)}, 'saleId', ${sales.id}, 'buyer', ${sales.buyer},
        'buyerTraceId', ${saleItems.buyerId}, 'reason', ${sql.raw(`'${reason}'`)})`,
      from: fromNewItems(params as unknown as Placeholders<Params>),
    }
  })
  // If a trace was withdrawn before its contributor was erased, it has one removal for both reasons.
  const insertRemovals = prepare<Params & NoticeArgs>()((params) => {
    const { noticeId, at } = params as unknown as Placeholders<NoticeArgs>
    return insertSelect(
      removals,
      {
        id: removalId(at),
        sale: saleItems.sale,
        buyerTraceId: saleItems.buyerId,
        reason: sql.raw(`'${reason}'`),
        at,
        acknowledgedAt: sql`null`,
        erasure: reason === 'erased' ? noticeId : sql`null`,
      },
      sql`${fromItems(params as unknown as Placeholders<Params>)} order by ${saleItems.sale}, ${saleItems.buyerId}
        on conflict (sale, buyer_trace_id) do update set erasure = coalesce(${removals.erasure}, excluded.erasure)`,
    )
  })

  return (params, { id: noticeId, at, event, mail }) => {
    const args = { ...params, noticeId, at }
    return [enqueueMails({ ...args, ...mail }), enqueueEvents({ ...args, event }), insertRemovals(args)]
  }
}
