import { check, type Check } from './check.ts'
import type { Context } from './context.ts'
import { matchItems, madeId } from './matchers.ts'
import { acceptTerms, approveContributor, signInOperator } from './people.ts'
import { waitForJob, send, makeTrace } from './stored-traces.ts'

const strange = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
const invalid = { ok: false, error: 'invalid_body' }

let buyers = 0
/** Sells traces to a new buyer, because a buyer cannot buy the same trace twice. */
const sell = ({ ask, operator, stage }: Context, traceIds: readonly string[]) => {
  stage.leftovers.add('sales to buyers "conformance …", and their traces in the dataset, without the person')
  const buyer = `conformance ${stage.run} ${++buyers}`
  return ask('POST', '/api/admin/sales', { as: operator(), json: { buyer, traceIds, usd: 0 } })
}
const noCopies = { copies: { traces: 0, tokens: 0 } }

/** Returns the dataset's documents with these ids, or null if the dataset is longer than a check reads. */
async function listOffered(
  { ask, operator }: Context,
  ids: readonly string[],
): Promise<Map<string, Record<string, unknown>> | null> {
  const found = new Map<string, Record<string, unknown>>()
  let cursor = ''
  for (let page = 0; page < 20; page++) {
    const reply = await ask('GET', `/api/admin/dataset?limit=200${cursor}`, { as: operator() }).is(200)
    reply.has('content-type', 'application/jsonl')
    for (const line of reply.text.split('\n').filter((one) => one !== '')) {
      const document = JSON.parse(line) as Record<string, unknown>
      if (ids.includes(String(document['id']))) found.set(String(document['id']), document)
    }
    const next = reply.header('x-next-cursor')
    if (next === null) return found
    cursor = `&cursor=${encodeURIComponent(next)}`
  }
  return null
}

/** Checks of sales, of the traces that they lock, and of the dataset. */
export const dataset: readonly Check[] = [
  check(
    'traces',
    'a sale sells the traces that are for sale and lists the skipped traces',
    ['operator', 'contributor'],
    async (context) => {
      const { ask, contributor, stored } = context
      const [sold, excluded, deleted] = (await stored(3)).map(({ id }) => id) as [string, string, string]
      const { bearer } = await contributor()
      await ask('PATCH', `/api/traces/${excluded}`, { as: bearer, json: { sellExcluded: true } }).is(200)
      await ask('DELETE', '/api/traces/bulk', { as: bearer, json: { ids: [deleted] } }).is(200)
      await sell(context, [sold, excluded, deleted, strange, sold]).is(200, {
        ok: true,
        saleId: madeId,
        soldIds: [sold],
        skippedIds: matchItems([excluded, deleted, strange]),
        ...noCopies,
      })
      await ask('GET', `/api/traces/${sold}`, { as: bearer }).is(200, {
        ok: true,
        trace: { id: sold, sellExcluded: false, saleCount: 1, locked: true },
      })
      await ask('GET', `/api/traces/${excluded}`, { as: bearer }).is(200, {
        ok: true,
        trace: { id: excluded, sellExcluded: true, saleCount: 0, locked: false },
      })
    },
  ),
  check('E9', 'a sold trace returns 409 already_sold', ['operator', 'contributor'], async (context) => {
    const { ask, contributor, stored } = context
    const [id] = (await stored(1)).map((one) => one.id) as [string]
    const { bearer } = await contributor()
    await sell(context, [id]).is(200, { ok: true, saleId: madeId, soldIds: [id], skippedIds: [], ...noCopies })
    for (const sellExcluded of [true, false])
      await ask('PATCH', `/api/traces/${id}`, { as: bearer, json: { sellExcluded } }).is(409, {
        ok: false,
        error: 'already_sold',
      })
  }),
  check('E3', 'a sold trace is skipped', ['operator', 'contributor'], async (context) => {
    const { ask, contributor, stored } = context
    const [sold, kept] = (await stored(2)).map(({ id }) => id) as [string, string]
    await sell(context, [sold]).is(200)
    await ask('POST', '/api/traces/bulk', {
      as: (await contributor()).bearer,
      json: { ids: [sold, kept], action: 'exclude' },
    }).is(200, { ok: true, updatedIds: [kept], updatedCount: 1, skippedCount: 1 })
  }),
  check('E4', 'a sold trace is kept and listed', ['operator', 'contributor'], async (context) => {
    const { ask, contributor, stored } = context
    const [sold, kept] = (await stored(2)).map(({ id }) => id) as [string, string]
    const { bearer } = await contributor()
    await sell(context, [sold]).is(200)
    await ask('DELETE', '/api/traces/bulk', { as: bearer, json: { ids: [sold, kept] } }).is(200, {
      ok: true,
      deletedIds: [kept],
      skippedSoldIds: [sold],
    })
    await ask('GET', `/api/traces/${sold}/download`, { as: bearer }).is(200)
  }),
  check('traces', 'a trace can be sold again, and its count grows', ['operator', 'contributor'], async (context) => {
    const { ask, contributor, stored } = context
    const [id] = (await stored(1)).map((one) => one.id) as [string]
    for (const saleCount of [1, 2]) {
      await sell(context, [id]).is(200, { ok: true, saleId: madeId, soldIds: [id], skippedIds: [], ...noCopies })
      await ask('GET', `/api/traces/${id}`, { as: (await contributor()).bearer }).is(200, {
        ok: true,
        trace: { id, sellExcluded: false, saleCount, locked: true },
      })
    }
  }),
  check(
    'traces',
    'of a concurrent sale and exclusion, only one takes effect',
    ['operator', 'contributor'],
    async (context) => {
      const { ask, contributor, stored } = context
      const [id] = (await stored(1)).map((one) => one.id) as [string]
      const { bearer } = await contributor()
      const [sale] = await Promise.all([
        sell(context, [id]),
        ask('PATCH', `/api/traces/${id}`, { as: bearer, json: { sellExcluded: true } }),
      ])
      const reply = await ask('GET', `/api/traces/${id}`, { as: bearer }).is(200)
      const { trace } = reply.json
      reply.must(
        trace.locked !== trace.sellExcluded && trace.locked === sale.json.soldIds.includes(id),
        'sold or excluded, never both and never neither',
      )
    },
  ),
  check(
    'traces',
    'of a concurrent sale and deletion, only one takes effect',
    ['operator', 'contributor'],
    async (context) => {
      const { ask, contributor, stored } = context
      const [id] = (await stored(1)).map((one) => one.id) as [string]
      const { bearer } = await contributor()
      const [sale, gone] = await Promise.all([
        sell(context, [id]),
        ask('DELETE', '/api/traces/bulk', { as: bearer, json: { ids: [id] } }),
      ])
      const sold: boolean = sale.is(200).json.soldIds.includes(id)
      gone.is(
        200,
        sold ? { ok: true, deletedIds: [], skippedSoldIds: [id] } : { ok: true, deletedIds: [id], skippedSoldIds: [] },
      )
      await ask('GET', `/api/traces/${id}`, { as: bearer }).is(sold ? 200 : 404)
    },
  ),
  check(
    'operator',
    'a sale requires a buyer, 1 to 500 traces and a price of at least zero',
    ['operator'],
    async ({ ask, operator }) => {
      const good = { buyer: 'conformance', traceIds: [strange], usd: 0 }
      for (const change of [
        { buyer: '' },
        { buyer: 'x'.repeat(257) },
        { traceIds: [] },
        { traceIds: ['no'] },
        { traceIds: Array.from({ length: 501 }, () => strange) },
        { usd: -1 },
        { usd: '1' },
      ]) {
        await ask('POST', '/api/admin/sales', { as: operator(), json: { ...good, ...change } }).is(400, invalid)
      }
    },
  ),
  check(
    'traces',
    'the dataset has the documents of the traces for sale, without names of contributors',
    ['operator', 'contributor'],
    async (context) => {
      const { ask, contributor, stored, skip } = context
      const [open, excluded, deleted] = (await stored(3)).map(({ id }) => id) as [string, string, string]
      const { bearer, userId, email } = await contributor()
      await ask('PATCH', `/api/traces/${excluded}`, { as: bearer, json: { sellExcluded: true } }).is(200)
      await ask('DELETE', '/api/traces/bulk', { as: bearer, json: { ids: [deleted] } }).is(200)
      const documents = await listOffered(context, [open, excluded, deleted])
      if (!documents) return skip('the dataset is longer than this check reads')
      const own = await ask('GET', `/api/traces/${open}/download`, { as: bearer }).is(200, documents.get(open))
      own.must(
        documents.size === 1,
        'a dataset without the excluded and the deleted',
        `it has ${[...documents.keys()].join(', ')}`,
      )
      const text = JSON.stringify(documents.get(open))
      own.must(
        !text.includes(userId) && (email === '' || !text.includes(email)),
        'a document that does not name the contributor',
      )
    },
  ),
  check(
    'operator',
    'the dataset of a sale has the sold traces, under ids that only this sale uses',
    ['operator', 'contributor'],
    async (context) => {
      const { ask, operator, contributor, stored } = context
      const own = (await stored(2)).map(({ id }) => id)
      const read = async () => {
        const { json } = await sell(context, own).is(200)
        const reply = await ask('GET', `/api/admin/dataset?saleId=${json.saleId}`, { as: operator() }).is(200)
        reply.has('content-type', 'application/jsonl')
        const found = reply.text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => (JSON.parse(line) as { id: string }).id)
        reply.must(found.length === 2, 'two documents', `there are ${found.length}`)
        reply.must(
          [...own, (await contributor()).userId].every((name) => !reply.text.includes(name)),
          'documents without ids that others know',
        )
        const ids = await ask('GET', `/api/admin/dataset?saleId=${json.saleId}&format=ids`, { as: operator() }).is(200)
        ids.must(ids.text === found.map((id) => `${JSON.stringify({ id })}\n`).join(''), 'the ids of the documents')
        return { reply, found }
      }
      const [first, second] = [await read(), await read()]
      second.reply.must(
        second.found.every((id) => !first.found.includes(id)),
        'other ids than in the sale before',
      )
      await ask('GET', `/api/admin/dataset?saleId=${strange}`, { as: operator() }).is(404, {
        ok: false,
        error: 'not_found',
      })
    },
  ),
  check(
    'traces',
    'a sold trace of an erased user is neither sold again nor delivered',
    ['mailbox', 'operator', 'contributor'],
    async (context) => {
      const { ask, operator, own, stage } = context
      await context.contributor()
      const person = await own('sold')
      await acceptTerms(stage, person)
      await approveContributor(stage, person)
      const jobId = await send(stage, [makeTrace(stage, 'sold')], {}, person)
      await waitForJob(stage, jobId, person)
      const { json } = await ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, { as: person.bearer }).is(200)
      const id = String(json.outcomes[0].traceId)
      const {
        json: { saleId },
      } = await sell(context, [id]).is(200, { ok: true, saleId: madeId, soldIds: [id], skippedIds: [], ...noCopies })
      await ask('DELETE', '/api/account', { as: person.cookie }).is(200)
      stage.erased.add(person.email)
      await sell(context, [id]).is(200, { ok: true, saleId: madeId, soldIds: [], skippedIds: [id], ...noCopies })
      const kept = await ask('GET', `/api/admin/dataset?saleId=${saleId}`, { as: operator() }).is(200)
      kept.must(kept.text === '', 'no trace of the sale')
      const documents = await listOffered(context, [id])
      kept.must(documents === null || documents.size === 0, 'no trace of an erased person in the dataset')
    },
  ),
  check(
    'operator',
    'a filter selects the same traces in the dataset, in a dry run and in a sale',
    ['operator', 'contributor'],
    async (context) => {
      const { ask, operator, stage } = context
      const { bearer } = await context.contributor()
      // No other trace has this time, so that the sale contains no other traces.
      const createdAt = new Date(Math.floor(Math.random() * 1e12)).toISOString()
      const jobId = await send(stage, [makeTrace(stage, 'filtered', { createdAt })])
      await waitForJob(stage, jobId)
      const outcomes = await ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, { as: bearer }).is(200)
      const id = String(outcomes.json.outcomes[0].traceId)
      const filter = { from: createdAt, to: createdAt, minTokens: 1 }
      const query = `from=${filter.from}&to=${filter.to}&minTokens=1`
      const read = await ask('GET', `/api/admin/dataset?${query}`, { as: operator() }).is(200)
      read.must(read.text.includes(id) && read.text.trim().split('\n').length === 1, 'the one trace of that time')
      const body = { buyer: 'conformance', usd: 0, filter }
      const dry = await ask('POST', '/api/admin/sales', { as: operator(), json: { ...body, dryRun: true } }).is(200)
      dry.must(dry.json.traces === 1 && dry.json.tokens > 0, 'a count of one trace and its tokens')
      await ask('GET', `/api/traces/${id}`, { as: bearer }).is(200, {
        ok: true,
        trace: { id, sellExcluded: false, saleCount: 0, locked: false },
      })
      stage.leftovers.add('sales to the buyer "conformance", and their traces in the dataset, without the person')
      const { json } = await ask('POST', '/api/admin/sales', { as: operator(), json: body }).is(200)
      const sale = await ask('GET', `/api/admin/sales/${json.saleId}`, { as: operator() }).is(200)
      sale.must(
        sale.json.sale.traces === 1 && sale.json.sale.tokens === dry.json.tokens && sale.json.sale.usd === 0,
        'the totals of the dry run',
      )
      const sold = await ask('GET', `/api/admin/sales/${json.saleId}/traces?limit=1`, { as: operator() }).is(200)
      sold.must(
        sold.json.items.length === 1 && sold.json.items[0].id === id && sold.json.nextCursor === null,
        'the trace that was sold',
      )
      const list = '/api/admin/sales/018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71/traces'
      await ask('GET', list, { as: operator() }).is(404, { ok: false, error: 'not_found' })
      await ask('GET', list).is(401, { ok: false, error: 'unauthorized' })
      const unsold = `/api/admin/dataset?${query}&neverSold=true`
      const left = await ask('GET', unsold, { as: operator() }).is(200)
      left.must(left.text === '', 'no trace that was never sold')
      const download = `/admin/download/sales/${json.saleId}`
      await ask('GET', download).is(401)
      const as = await signInOperator(context)
      for (const format of ['documents', 'messages', 'sts'])
        (await ask('GET', `${download}?format=${format}`, { as }).is(200)).has('content-type', 'application/jsonl')
      await ask('GET', `${download}?format=word`, { as }).is(400, { ok: false, error: 'invalid_query' })
      await ask('GET', '/admin/download/sales/word', { as }).is(400, { ok: false, error: 'invalid_id' })
      await ask('GET', '/admin/download/sales/018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71', { as }).is(404)
      for (const format of ['documents', 'messages', 'sts']) {
        const sold = await ask('GET', `/api/admin/dataset?saleId=${json.saleId}&format=${format}`, { as: operator() })
        sold
          .is(200)
          .must(!sold.text.includes(id) && sold.text !== '', `what was sold as ${format}, under an id of the sale`)
      }
    },
  ),
  check(
    'operator',
    'origin=true adds the accepted terms and the country of the upload to documents, also for a sale',
    ['operator', 'contributor'],
    async (context) => {
      const { ask, operator, stored } = context
      const { bearer } = await context.contributor()
      const { termsVersion, country } = (await ask('GET', '/api/traces/upload-policy', { as: bearer }).is(200)).json
      const [id] = (await stored(1)).map((one) => one.id) as [string]
      const { json } = await sell(context, [id]).is(200)
      const dataset = `/api/admin/dataset?saleId=${json.saleId}`
      const plain = await ask('GET', dataset, { as: operator() }).is(200)
      plain.must(!('origin' in JSON.parse(plain.text)), 'a document without origin')
      const named = await ask('GET', `${dataset}&origin=true`, { as: operator() }).is(200)
      const { origin, ...document } = JSON.parse(named.text) as Record<string, unknown>
      named.must(
        JSON.stringify(origin) === JSON.stringify({ termsVersion, country }),
        `the terms ${termsVersion} and the country ${country}`,
        `origin is ${JSON.stringify(origin)}`,
      )
      named.must(JSON.stringify(document) === plain.text.trim(), 'the same document beside it')
      const offered = await ask('GET', '/api/admin/dataset?limit=1&origin=true', { as: operator() }).is(200)
      offered.must(offered.text.trim() === '' || 'origin' in JSON.parse(offered.text), 'a document with origin')
      for (const format of ['messages', 'sts', 'atif']) {
        const lines = await ask('GET', `${dataset}&format=${format}&origin=true`, { as: operator() }).is(200)
        lines.must(!lines.text.includes(`"termsVersion":`), `no origin in ${format}`)
      }
      for (const value of ['false', '1', ''])
        await ask('GET', `${dataset}&origin=${value}`, { as: operator() }).is(400, {
          ok: false,
          error: 'invalid_query',
        })
      await ask('GET', `${dataset}&origin=true`).is(401, { ok: false, error: 'unauthorized' })
      await ask('GET', `${dataset}&origin=true`, { as: bearer }).is(401, { ok: false, error: 'unauthorized' })
    },
  ),
  check(
    'operator',
    'an invalid filter or format returns 400, and an unknown sale returns 404',
    ['operator'],
    async ({ ask, operator }) => {
      for (const query of [
        'format=csv',
        'source=nobody',
        'from=yesterday',
        'minTokens=-1',
        `saleId=${strange}&minTokens=1`,
      ])
        await ask('GET', `/api/admin/dataset?${query}`, { as: operator() }).is(400, {
          ok: false,
          error: 'invalid_query',
        })
      const body = { buyer: 'conformance', usd: 0 }
      for (const filter of [{ source: 'nobody' }, { minTokens: -1 }, { minToken: 1 }, { to: 'now' }])
        await ask('POST', '/api/admin/sales', { as: operator(), json: { ...body, filter } }).is(400, invalid)
      await ask('POST', '/api/admin/sales', { as: operator(), json: body }).is(400, invalid)
      await ask('GET', `/api/admin/sales/${strange}`, { as: operator() }).is(404, { ok: false, error: 'not_found' })
    },
  ),
  check('operator', 'an invalid cursor of the dataset returns 400', ['operator'], async ({ ask, operator }) => {
    for (const query of ['cursor=%21', 'limit=0', 'limit=201'])
      await ask('GET', `/api/admin/dataset?${query}`, { as: operator() }).is(400, {
        ok: false,
        error: 'invalid_query',
      })
  }),
]
