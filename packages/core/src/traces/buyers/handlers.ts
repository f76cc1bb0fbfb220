import type { AuditStore } from '../../audit/store.ts'
import type { MakeEvent } from '../../events/event.ts'
import { generateToken } from '../../auth/rules.ts'
import { auditContext, buyerActor, onlyFirstRead } from '../../http/audit-context.ts'
import { fail } from '../../http/failures.ts'
import { writeCursor, readCursor } from '../../http/fields.ts'
import { listParams } from '../../http/list.ts'
import { redirect, reply, mount, type Handlers, type Input, type Mounted, type Reply } from '../../http/route.ts'
import { timestamp, timestampOrNull, toHex, uuid7 } from '../../ids.ts'
import type { Lazy } from '../../lazy.ts'
import type { MailText } from '../../outbox/store.ts'
import type { Digest, Random } from '../../ports.ts'
import type { Languages } from '../../ui/messages.ts'
import { salePage, saleFile, type ReadDatasetDeps } from '../dataset/handlers.ts'
import { buyerKey } from '../dataset/rules.ts'
import type { RecordedSale, SaleDetails } from '../dataset/store.ts'
import { buyersContract, purchaseOrder } from './contract.ts'
import { buildReminderMail, buildRemovalMail } from './mail.ts'
import { buyerPage, buyerSalePage, buyerSignInPage } from './pages.ts'
import { endBuyerSession, signedInBuyer, startBuyerSession, type BuyerSessionDeps } from './session.ts'
import type { Buyer, Removal } from './store.ts'

export interface BuyersDeps extends BuyerSessionDeps, ReadDatasetDeps {
  readonly digest: Digest
  readonly random: Random
  readonly makeEvent: MakeEvent
  readonly languages: Lazy<Languages>
  readonly link: (path: string) => string
  readonly prefix: string
  readonly brand: { readonly supportEmail?: string }
  /** Records that a buyer downloaded something. */
  readonly recordRead: AuditStore['recordRead']
}

/** The numbers of purchases, of open removals and of confirmed deletions on one page of `/buyer`. */
const [shownPurchases, shownRemovals, shownConfirmed] = [50, 100, 25]

const buyerView = ({ createdAt, tokenAt, ...buyer }: Buyer) => ({
  ...buyer,
  createdAt: timestamp(createdAt),
  tokenAt: timestamp(tokenAt),
})

/** Returns a removal in the form of the JSON API. */
const removalView = <Shown extends Removal>({ at, acknowledgedAt, ...removal }: Shown) => ({
  ...removal,
  at: timestamp(at),
  acknowledgedAt: timestampOrNull(acknowledgedAt),
})

const saleView = ({ id, usd, soldAt, traceCount }: RecordedSale) => ({
  id,
  usd,
  soldAt: timestamp(soldAt),
  traces: traceCount,
})

/** Builds the mail that reminds a buyer of the removals that the buyer did not acknowledge. */
export async function buildReminder(buyer: string, { store, languages, link }: BuyersDeps): Promise<MailText> {
  const open = await store.listRemovals({ buyer, since: 0, cursor: null, limit: shownRemovals, isOpen: true })
  const count = open.items.length
  return buildReminderMail({ count, hasMore: open.next !== null }, { link, ...(await languages()).first })
}

/** Returns a sale under the buyer's name. Returns null if the sale does not exist or belongs to another buyer. */
async function findPurchase(
  buyer: { readonly name: string },
  saleId: string,
  { dataset }: BuyersDeps,
): Promise<SaleDetails | null> {
  const sale = await dataset.findSale({ saleId })
  return sale && buyerKey(sale.buyer) === buyerKey(buyer.name) ? sale : null
}

/** Makes a token and its hash. Only the hash is stored. */
function makeToken({ random, digest }: BuyersDeps): { readonly token: string; readonly tokenHash: string } {
  const token = generateToken(random, 'trbb_')
  return { token, tokenHash: toHex(digest(token)) }
}

const signInPage = (problem: 'empty' | 'wrong' | null, { prefix, brand }: BuyersDeps): string =>
  buyerSignInPage({ prefix, problem, supportEmail: brand.supportEmail })

/** Returns the buyer who is signed in with the browser of a request, or the sign-in page. */
async function findCaller(
  { request, now }: { readonly request: Input<typeof buyersContract.buyerPage>['request']; readonly now: number },
  deps: BuyersDeps,
): Promise<Buyer | Reply<string>> {
  return (await signedInBuyer(request, now, deps)) ?? reply(401, signInPage(null, deps))
}
const isBuyer = (caller: Buyer | Reply<string>): caller is Buyer => 'name' in caller

export const buyersHandlers: Handlers<typeof buyersContract, BuyersDeps> = {
  async createBuyer({ body: { name, email = null }, now, audit }, deps) {
    const { token, tokenHash } = makeToken(deps)
    const buyer = { id: uuid7(now, deps.random), name, email, tokenHash }
    if ((await deps.store.createBuyer({ buyer, audit })) === 'exists') return fail('buyer_exists')
    return { ok: true, id: buyer.id, token }
  },

  async changeBuyer({ params: { id }, body: { email }, audit }, { store }) {
    const buyer = await store.setEmail({ id, email, audit })
    return buyer ? { ok: true, buyer: buyerView(buyer) } : fail('not_found')
  },

  async listBuyers({ query }, { store }) {
    const { items, next } = await store.listBuyers(listParams(query))
    return { ok: true, items: items.map(buyerView), nextCursor: next }
  },

  async rotateBuyerToken({ params: { id }, audit }, deps) {
    const { token, tokenHash } = makeToken(deps)
    return (await deps.store.setToken({ id, tokenHash, audit })) ? { ok: true, id, token } : fail('not_found')
  },

  async revokeBuyerToken({ params: { id }, audit }, { store }) {
    return (await store.setToken({ id, tokenHash: null, audit })) ? { ok: true } : fail('not_found')
  },

  async withdrawTrace({ params: { id }, body: { reason }, now, audit }, deps) {
    const mail = buildRemovalMail('withdrawn', { link: deps.link, ...(await deps.languages()).first })
    const event = deps.makeEvent('trace.removal_requested', now)
    const notice = { id: uuid7(now, deps.random), at: now, event, mail }
    const removals = await deps.store.withdrawTrace({ id, reason, notice, audit })
    return removals === null ? fail('not_found') : { ok: true, removals }
  },

  async listAllRemovals({ query: { status, ...query } }, { store }) {
    const { items, next } = await store.listAllRemovals({ ...listParams(query), status })
    return { ok: true, items: items.map(removalView), nextCursor: next }
  },

  async listPurchases({ query, buyer }, { dataset }) {
    const { cursor = null, limit } = query
    const { items, next } = await dataset.listSales({ ...purchaseOrder, cursor, limit, buyer: buyer.name })
    return { ok: true, items: items.map(saleView), nextCursor: next }
  },

  async readPurchase({ params, buyer }, deps) {
    const sale = await findPurchase(buyer, params.id, deps)
    if (!sale) return fail('not_found')
    const { id, usd, soldAt, traces, tokens, filter, copies } = sale
    return { ok: true, sale: { id, usd, soldAt: timestamp(soldAt), traces, tokens, filter, copies } }
  },

  async downloadPurchase({ params: { id: saleId }, query, buyer, audit }, deps) {
    if (!(await findPurchase(buyer, saleId, deps))) return fail('not_found')
    const { format, cursor = null, limit } = query
    if (format !== 'ids') {
      const read = onlyFirstRead(cursor, audit.at)
      await deps.recordRead({ action: 'dataset.download', target: saleId, audit, ...read })
    }
    if (limit === undefined && cursor === null) return saleFile({ saleId, format }, deps)
    return (await salePage({ saleId, format, cursor, limit: limit ?? 200 }, deps)) ?? fail('not_found')
  },

  async listRemovals({ query, buyer }, { store }) {
    const { items, next } = await store.listRemovals({
      buyer: buyer.name,
      since: query.since === undefined ? 0 : Date.parse(query.since),
      cursor: readCursor(query.cursor),
      limit: query.limit,
    })
    return { ok: true, items: items.map(removalView), nextCursor: writeCursor(next) }
  },

  async acknowledgeRemoval({ params, buyer, now }, { store }) {
    const [removal] = await store.acknowledgeRemovals({ buyer: buyer.name, ids: [params.id], now })
    return removal ? { ok: true, removal: removalView(removal) } : fail('not_found')
  },

  async buyerPage({ query, flash, ...input }, deps) {
    const buyer = await findCaller(input, deps)
    if (!isBuyer(buyer)) return buyer
    const confirmedFrom = query.confirmed ?? null
    const [purchases, removals, confirmed] = await Promise.all([
      deps.dataset.listSales({ cursor: query.cursor ?? null, limit: shownPurchases, buyer: buyer.name }),
      deps.store.listRemovals({ buyer: buyer.name, since: 0, cursor: null, limit: shownRemovals, isOpen: true }),
      deps.store.listAllRemovals({
        buyer: buyer.name,
        status: 'acknowledged',
        cursor: confirmedFrom,
        limit: shownConfirmed,
      }),
    ])
    return buyerPage({
      prefix: deps.prefix,
      address: deps.link(''),
      buyer,
      purchases: purchases.items.map(saleView),
      next: purchases.next,
      removals: removals.items.map(removalView),
      hasMoreRemovals: removals.next !== null,
      confirmed: { items: confirmed.items.map(removalView), cursor: confirmedFrom, next: confirmed.next },
      flash,
    })
  },

  async buyerSalePage({ params, ...input }, deps) {
    const buyer = await findCaller(input, deps)
    if (!isBuyer(buyer)) return buyer
    const [sale, ofSale, removals] = await Promise.all([
      findPurchase(buyer, params.id, deps),
      deps.store.countRemovals({ saleId: params.id }),
      deps.store.listRemovals({ buyer: buyer.name, since: 0, cursor: null, limit: shownRemovals, isOpen: true }),
    ])
    if (!sale) return fail('not_found')
    return buyerSalePage({
      removals: {
        ofSale: ofSale.all,
        here: ofSale.open,
        count: removals.items.length,
        hasMore: removals.next !== null,
      },
      prefix: deps.prefix,
      address: deps.link(''),
      buyer,
      sale: { ...sale, soldAt: timestamp(sale.soldAt) },
    })
  },

  async buyerDownload({ params: { id: saleId }, query, ...input }, deps) {
    const buyer = await findCaller(input, deps)
    if (!isBuyer(buyer)) return fail('unauthorized')
    if (!(await findPurchase(buyer, saleId, deps))) return fail('not_found')
    const audit = auditContext({ ...input, actor: buyerActor(buyer) }, deps.random)
    await deps.recordRead({ action: 'dataset.download', target: saleId, audit })
    return saleFile({ saleId, format: query.format }, deps)
  },

  async buyerSignIn({ body, now }, deps) {
    const token = body.value?.token.trim() ?? ''
    const cookie = await startBuyerSession(token, now, deps)
    if (cookie !== null) return redirect('/buyer', null, [['set-cookie', cookie]])
    return reply(401, signInPage(token === '' ? 'empty' : 'wrong', deps))
  },

  buyerSignOut: async ({ request }, deps) =>
    redirect('/buyer', null, [['set-cookie', await endBuyerSession(request, deps)]]),

  async buyerAcknowledge({ body, now, ...input }, deps) {
    const buyer = await findCaller({ ...input, now }, deps)
    if (!isBuyer(buyer)) return buyer
    const ids = body.value?.ids.split(' ').slice(0, shownRemovals) ?? []
    const found = await deps.store.acknowledgeRemovals({ buyer: buyer.name, ids, now })
    return redirect('/buyer', { done: found.length > 0 ? 'acknowledged' : 'none', counts: [found.length] })
  },
}

/** Binds the routes of buyers to their handlers. */
export const mountBuyers = (deps: BuyersDeps): Mounted[] => mount(buyersContract, buyersHandlers, deps)
