import type { ServiceEvent } from '@tributary/core'
import { learnOutcomes } from './contributors.ts'
import type { SimulatedDatabase } from './database.ts'
import { isErased, wasRequested, type Person } from './model.ts'
import { findMarkers, type Simulation } from './simulation.ts'
import { operators } from './world.ts'

const first = { cursor: null, limit: 1000 } as const

/** Compares the stores with the model at the end, when no work is due. */
export async function checkEnd(sim: Simulation, database: SimulatedDatabase): Promise<void> {
  await checkJobs(sim)
  await checkTraces(sim)
  await checkSales(sim)
  await checkSaleCounts(sim)
  await checkLedger(sim)
  await checkAds(sim)
  await checkReports(sim)
  await checkAudit(sim)
  await checkEvents(sim)
  await checkOutbox(sim)
  await checkBlobs(sim)
  await checkBytes(sim, database)
}

const mayBeErased = (person: Person): boolean => wasRequested(person, 'erase')
const countBy = <Item>(items: readonly Item[], key: (item: Item) => string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return counts
}

interface Page<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}
async function readAll<Item>(read: (page: { cursor: string | null; limit: number }) => Promise<Page<Item>>) {
  const items: Item[] = []
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const page = await read({ cursor, limit: 200 })
    items.push(...page.items)
    cursor = page.next
  }
  return items
}

async function checkJobs(sim: Simulation): Promise<void> {
  const { stores } = sim.world
  const jobs = new Map((await stores.ingest.listAllJobs(first)).items.map((job): [string, typeof job] => [job.id, job]))
  // Several services may have crashed while they ran a job, so a job may have used up its attempts.
  for (const { id, status, errorMessage } of jobs.values())
    sim.check(
      status === 'done' ||
        (status === 'failed' && errorMessage!.includes('attempts: in the last one, its worker stopped')),
      () => `job ${id} is ${status} at the end: ${errorMessage}`,
    )
  for (const person of sim.model.people) {
    if (mayBeErased(person)) continue
    for (const { id, sourceIds } of person.jobs) {
      const job = jobs.get(id)
      if (!job) {
        sim.violate(`the acknowledged job ${id} does not exist`)
        continue
      }
      const outcomes = (await stores.ingest.listOutcomes({ ownerId: person.signed.userId, jobId: id })) ?? []
      learnOutcomes(sim, person, sourceIds, outcomes)
      const indices = outcomes.map(({ index }) => index).join()
      sim.check(
        job.status === 'failed' || indices === sourceIds.map((_, at) => at).join(),
        () => `job ${id} of ${sourceIds.length} traces has outcomes of ${indices}`,
      )
      const kept = outcomes.filter(({ outcome }) => outcome === 'stored' || outcome === 'updated').length
      sim.check(
        job.traceCount === kept && job.rejectedCount === outcomes.length - kept,
        () => `job ${id} counts ${job.traceCount} and ${job.rejectedCount} of ${kept} and ${outcomes.length - kept}`,
      )
    }
  }
  const blobs = await stores.blobs.stale(Number.MAX_SAFE_INTEGER, 1000, '')
  const uploads = blobs.filter((key) => key.startsWith('upload/'))
  sim.check(uploads.length === 0, () => `uploads of finished jobs are left: ${uploads.join()}`)
}

async function checkTraces(sim: Simulation): Promise<void> {
  const { stores } = sim.world
  for (const person of sim.model.people) {
    const { name, signed, traces } = person
    const { items } = await stores.traces.listTraces({ ownerId: signed.userId, ...first })
    const names = new Map(items.map((item): [string, typeof item] => [item.sourceId, item]))
    sim.check(names.size === items.length, () => `${name} has a trace twice: ${items.map(({ sourceId }) => sourceId)}`)
    const hashes = new Set(items.map(({ contentHash }) => contentHash))
    sim.check(hashes.size === items.length, () => `${name} has a content twice`)
    if (mayBeErased(person)) {
      sim.check(items.length === 0 || !isErased(person), () => `${name} was erased and has traces`)
      continue
    }
    for (const trace of traces.values()) {
      const stored = names.get(trace.sourceId)
      const deletions = trace.operations.filter(({ kind }) => kind === 'delete')
      if (deletions.some(({ isDone }) => isDone))
        sim.check(!stored, () => `${trace.sourceId} was deleted and is there at the end`)
      else if (trace.storedAt !== null && deletions.every(({ end }) => end !== null))
        sim.check(stored !== undefined, () => `${trace.sourceId} was stored and is not there at the end`)
      if (!stored) continue
      sim.check(
        stored.saleCount === 0 || !stored.sellExcluded,
        () => `${trace.sourceId} is both sold and excluded at the end`,
      )
      const content = await stores.traces.readTrace({ ownerId: signed.userId, id: stored.id })
      const [marker, ...others] = findMarkers(content?.messages ?? '')
      sim.check(
        others.length === 0 && trace.texts.some((text) => text.marker === marker),
        () => `${trace.sourceId} holds the text ${marker} ${others.join()}`,
      )
      if (person.terms?.list.includes(trace.secret) && stored.saleCount === 0)
        sim.check(!content?.messages?.includes(trace.secret), () => `${trace.sourceId} holds a blocked term at the end`)
    }
  }
}

async function checkSales(sim: Simulation): Promise<void> {
  const { model, world } = sim
  const { dataset, traces } = world.stores
  const sales = (await dataset.listSales(first)).items
  for (const { id, soldIds } of model.sales) {
    const [sale, ...others] = sales.filter((one) => one.id === id)
    sim.check(sale !== undefined && others.length === 0, () => `the sale ${id} is there ${others.length} times`)
    if (sale && soldIds)
      sim.check(sale.traceCount === soldIds.length, () => `the sale ${id} has ${sale.traceCount} traces at the end`)
  }
  const pending = await dataset.listPendingSales({ startedBefore: Number.MAX_SAFE_INTEGER })
  sim.check(pending.length === 0, () => `sales are not finished: ${pending.join()}`)
  for (const { soldIds, end } of model.sales) {
    for (const id of soldIds ?? []) {
      const trace = model.findTrace(id)
      if (!trace || mayBeErased(trace.owner)) continue
      const { owner } = trace
      const content = await traces.readTrace({ ownerId: owner.signed.userId, id })
      const [marker] = findMarkers(content?.messages ?? '')
      sim.check(
        trace.texts.some((text) => text.marker === marker && text.sentAt <= end),
        () => `${trace.sourceId} was sold and then changed to ${marker}`,
      )
      const state = await traces.findTrace({ ownerId: owner.signed.userId, id })
      const times = model.sales.filter((one) => one.soldIds?.includes(id)).length
      sim.check(
        state !== null && state.saleCount >= times,
        () => `the trace ${id} was sold ${times} times and says ${state?.saleCount}`,
      )
    }
  }
}

/** Checks the number of sales of each trace. Traces of an erased account are left out, because nobody can list them. */
async function checkSaleCounts(sim: Simulation): Promise<void> {
  const { model, world } = sim
  if (model.people.some(mayBeErased)) return
  const { dataset, traces } = world.stores
  let counted = 0
  for (const { signed } of model.people)
    for (const { saleCount } of (await traces.listTraces({ ownerId: signed.userId, ...first })).items)
      counted += saleCount
  const sold = (await dataset.listSales(first)).items.reduce((sum, { traceCount }) => sum + traceCount, 0)
  sim.check(counted === sold, () => `sales have ${sold} traces, and traces count ${counted} sales`)
}

async function checkLedger(sim: Simulation): Promise<void> {
  const { model, world } = sim
  const { ledger, dataset } = world.stores
  const shares = new Map<string, number>()
  for (const person of model.people) {
    if (mayBeErased(person)) continue
    const owner = { ownerId: person.signed.userId }
    const entries = await ledger.export(owner)
    const { balance } = await ledger.listEntries({ ...owner, now: world.scheduler.now, cursor: null, limit: 1 })
    const sum = entries.reduce((total, { micros }) => total + micros, 0)
    sim.check(
      balance.balance + balance.pending === sum,
      () => `the balance of ${person.name} is ${balance.balance + balance.pending} of entries of ${sum}`,
    )
    // Corrections in a simulation are never negative.
    sim.check(balance.balance >= 0, () => `${person.name} was paid ${-balance.balance} too much`)
    for (const [sale, count] of countBy(
      entries.filter(({ kind }) => kind === 'sale'),
      ({ saleId }) => saleId!,
    ))
      sim.check(count === 1, () => `${person.name} has ${count} shares of the sale ${sale}`)
    for (const { saleId, micros } of entries) if (saleId) shares.set(saleId, (shares.get(saleId) ?? 0) + micros)
    checkEntries(sim, person, entries)
  }
  if (model.people.some(mayBeErased)) return
  for (const { id, usd, traceCount } of (await dataset.listSales(first)).items) {
    const share = traceCount === 0 ? 0 : Math.floor(Math.round(usd * 1e6) * 0.8)
    sim.check(
      (shares.get(id) ?? 0) === share,
      () => `contributors got ${shares.get(id)} of the sale ${id} of ${traceCount} traces instead of ${share}`,
    )
  }
}

type Entries = Awaited<ReturnType<Simulation['world']['stores']['ledger']['export']>>

/**
 * Checks that each acknowledged payout and correction of a person exists exactly once, and that no other entries exist.
 */
function checkEntries(sim: Simulation, person: Person, entries: Entries): void {
  const requested = sim.model.entries.filter((one) => one.person === person)
  for (const { kind, reference, micros, isDone } of requested) {
    const found = entries.filter((one) => one.kind === kind && (one.reference ?? one.reason) === reference)
    sim.check(
      isDone ? found.length === 1 : found.length <= 1,
      () => `the ${kind} ${reference} is there ${found.length} times`,
    )
    for (const one of found)
      sim.check(Math.abs(one.micros) === micros, () => `the ${kind} ${reference} is of ${one.micros}, not ${micros}`)
  }
  for (const { kind, reference, reason } of entries) {
    if (kind !== 'payout' && kind !== 'correction') continue
    sim.check(
      requested.some((one) => one.reference === (reference ?? reason)),
      () => `${person.name} has a ${kind} that nobody requested`,
    )
  }
}

async function checkAds(sim: Simulation): Promise<void> {
  const { model, world } = sim
  const { ads, ledger } = world.stores
  const campaigns = (await ads.listCampaigns(first)).items
  for (const { name } of model.campaigns)
    sim.check(campaigns.filter((one) => one.name === name).length === 1, () => `${name} is not there once`)
  let spent = 0
  for (const { name, spent: micros, impressions, clicks, price, budget } of campaigns) {
    sim.check(micros === impressions * price, () => `${name} spent ${micros} on ${impressions} at ${price}`)
    sim.check(micros <= budget, () => `${name} spent ${micros} of ${budget}`)
    sim.check(clicks <= impressions, () => `${name} has ${clicks} clicks of ${impressions} impressions`)
    spent += micros
  }
  let [counted, earned] = [0, 0]
  for (const person of model.people) {
    const { days } = await ads.export({ ownerId: person.signed.userId })
    const sumOf = (outcome: string): number =>
      days.reduce((total, one) => total + (one.outcome === outcome ? one.count : 0), 0)
    sim.check(
      sumOf('counted') <= person.impressions.size,
      () => `${person.name} saw ${person.impressions.size} ads, and ${sumOf('counted')} counted`,
    )
    sim.check(
      sumOf('clicked') <= person.clicks,
      () => `${person.name} followed ${person.clicks} ads, and ${sumOf('clicked')} counted`,
    )
    counted += sumOf('counted')
    for (const { kind, micros } of await ledger.export({ ownerId: person.signed.userId }))
      if (kind === 'impressions') earned += micros
  }
  if (model.people.some(mayBeErased)) return
  const impressions = campaigns.reduce((total, one) => total + one.impressions, 0)
  const { size: reported } = world.reported
  sim.check(
    counted === impressions + reported,
    () => `people have ${counted} impressions, campaigns ${impressions} and the network ${reported}`,
  )
  sim.check(earned * 2 === spent, () => `people earned ${earned} of ${spent} that campaigns spent`)
}

async function checkReports(sim: Simulation): Promise<void> {
  const { reports } = sim.world.stores
  const { items } = await reports.listReports({ status: null, ...first })
  for (const { title, receiptId, evidence } of sim.model.reports) {
    const found = items.filter(({ body }) => body.includes(title))
    sim.check(
      receiptId === null ? found.length <= 1 : found.length === 1,
      () => `the report ${title} is there ${found.length} times`,
    )
    if (receiptId === null) continue
    const attached = found[0]?.evidence.map(({ content }) => content)
    for (const content of evidence)
      sim.check(attached?.includes(content) ?? false, () => `the report ${title} has no evidence ${content}`)
    const receipt = await reports.findReceipt({ id: receiptId })
    sim.check(receipt?.reportId === found[0]?.id, () => `the receipt of ${title} leads to another report`)
  }
}

/** Checks that each action of an operator is in the audit log once, with the id of a request that was sent. */
async function checkAudit(sim: Simulation): Promise<void> {
  const { model, world } = sim
  const { audit, dataset, ads, ledger } = world.stores
  const entries = await readAll((page) => audit.listEntries({ ...page, actor: null, action: null }))
  const count = (action: string, target?: string): number =>
    entries.filter((one) => one.action === action && (target === undefined || one.target === target)).length
  for (const { id } of (await dataset.listSales(first)).items)
    sim.check(
      count('sale.record', id) === 1,
      () => `the audit has ${count('sale.record', id)} entries of the sale ${id}`,
    )
  for (const { id, name } of (await ads.listCampaigns(first)).items)
    sim.check(
      count('campaign.create', id) === 1,
      () => `the audit has ${count('campaign.create', id)} entries of ${name}`,
    )
  for (const person of model.people) {
    if (mayBeErased(person)) continue
    const found = await ledger.export({ ownerId: person.signed.userId })
    for (const kind of ['payout', 'correction'] as const) {
      const recorded = found.filter((one) => one.kind === kind).length
      const audited = count(`${kind}.record`, person.signed.userId)
      sim.check(recorded === audited, () => `${person.name} has ${recorded} ${kind}s, the audit ${audited}`)
    }
  }
  for (const { action, target } of model.changes)
    sim.check(count(action, target) >= 1, () => `the audit has no ${action} of ${target}`)
  for (const { signed, operations, name } of model.people)
    if (operations.some(({ kind, isDone }) => kind === 'pause' && isDone) && !wasRequested({ operations }, 'erase'))
      sim.check(count('contributor.pause', signed.userId) >= 1, () => `the audit has no pause of ${name}`)
  for (const { action, actor, requestId } of entries)
    sim.check(
      !Object.hasOwn(operators, actor) || model.senders.get(requestId) === actor,
      () => `the audit has a ${action} of ${actor} by the request ${requestId} of ${model.senders.get(requestId)}`,
    )
}

/** Checks that the app and each webhook received one event for each change, in the order of the commits. */
async function checkEvents(sim: Simulation): Promise<void> {
  const { model, world } = sim
  const { outbox, dataset } = world.stores
  const sales = await readAll((page) => dataset.listSales(page))
  const committed = (await readAll((page) => outbox.list({ ...page, channel: 'event' }))).reverse()
  const places = new Map(committed.map(({ id }, place) => [id, place]))
  const heard = new Set(world.events.map(({ id }) => id))
  for (const { id, subject } of committed) sim.check(heard.has(id), () => `the app got no event ${subject} ${id}`)
  for (const [receiver, all, since] of [
    ['the app', world.events, 0] as const,
    ...[...model.webhooks].map(([url, { since }]) => [url, world.received.get(url) ?? [], since] as const),
  ]) {
    const events = [...new Map(all.map((event) => [event.id, event])).values()]
    const doubled = countBy(events.flatMap(listEffects), (what) => what)
    for (const [what, times] of doubled)
      sim.check(times === 1, () => `${receiver} got ${times} different events of the ${what}`)
    const lasts = new Map<string, number>()
    for (const event of events) {
      const place = places.get(event.id)
      const subject = 'userId' in event.data ? event.data.userId : 'saleId' in event.data ? event.data.saleId : null
      if (place === undefined || subject === null) continue
      sim.check(
        place > (lasts.get(subject) ?? -1),
        () => `${receiver} got ${event.type} ${event.id} after a later event`,
      )
      lasts.set(subject, place)
    }
    for (const { id, start } of model.sales)
      sim.check(start < since || doubled.has(`sale ${id}`), () => `${receiver} got no event of the sale ${id}`)
    if (since === 0)
      for (const { id } of sales)
        sim.check(doubled.has(`sale ${id}`), () => `${receiver} got no event of the sale ${id}`)
    for (const person of model.people) {
      if (mayBeErased(person)) continue
      for (const { id, operations, sourceId } of person.traces.values()) {
        const deletions = operations.filter(({ kind }) => kind === 'delete')
        if (deletions.length === 1 && deletions[0]!.isDone && deletions[0]!.start >= since)
          sim.check(doubled.has(`deletion of ${id}`), () => `${receiver} got no event of the deletion of ${sourceId}`)
      }
    }
  }
}

/** Returns names of the changes that an event reports, for changes that happen only once. */
function listEffects({ type, data }: ServiceEvent): readonly string[] {
  if (type === 'sale.recorded') return [`sale ${data.saleId}`]
  if (type === 'job.completed') return [`job ${data.jobId}`]
  if (type === 'contributor.approved') return [`approval of ${data.applicationId}`]
  return type === 'traces.deleted' ? data.traceIds.map((id) => `deletion of ${id}`) : []
}

/** The subject of a mail that a person must get only once, even if the person joins the waitlist several times. */
const uploadsOpen = 'Uploads are now open in your country'

async function checkOutbox(sim: Simulation): Promise<void> {
  const { outbox, account } = sim.world.stores
  const { now } = sim.world.scheduler
  const entries = await readAll((page) => outbox.list(page))
  for (const { channel, subject, status, id, lastError } of entries)
    // A sign-in code is mailed during the request. The entry only records that the mail server refused the mail.
    sim.check(
      status === 'sent' || (channel === 'mail' && (status === 'unknown' || subject === 'Sign-in code')),
      () => `${channel} ${subject} ${id} is ${status} at the end: ${lastError}`,
    )
  const erased = sim.model.people.filter(mayBeErased).map(({ signed }) => signed.email)
  for (const [mail, times] of countBy(sim.world.mails, ({ to, subject, text }) => `${to}: ${subject}: ${text}`)) {
    const isOf = (recipient: string, subject = ''): boolean => mail.startsWith(`${recipient}: ${subject}`)
    // The same mail may be sent several times: each payout request is confirmed, and a buyer is notified of each
    // withdrawal.
    const due = entries.filter(({ recipient, subject }) => subject !== uploadsOpen && isOf(recipient, subject)).length
    sim.check(
      times <= Math.max(1, due) || erased.some((address) => isOf(address)),
      () => `a mail was sent ${times} times: ${mail.slice(0, 200)}`,
    )
  }
  const job = await account.claimJob({ lease: 'end', now, until: now + 1 })
  sim.check(job === null, () => `an ${job?.kind} of an account is not done at the end`)
}

/**
 * Checks that each blob belongs to a trace. A search for the text of deleted traces would find nothing in blobs,
 * because blobs are encrypted.
 */
async function checkBlobs(sim: Simulation): Promise<void> {
  const { blobs, contents } = sim.world.stores
  const named = new Set<string>()
  for (const { traceId } of await contents.listMovable({ to: 'database', minBytes: 0, after: 0, limit: 1000 }))
    named.add((JSON.parse((await contents.readContent({ traceId }))!) as { blob: string }).blob)
  for (const key of await blobs.stale(Number.MAX_SAFE_INTEGER, 1000, ''))
    sim.check(!key.startsWith('content/') || named.has(key), () => `the blob ${key} is left, and no trace names it`)
}

async function checkBytes(sim: Simulation, database: SimulatedDatabase): Promise<void> {
  const bytes = (await database.readBytes()).toString('latin1')
  const found = new Set(findMarkers(bytes))
  for (const [marker, trace] of sim.model.markers)
    if (trace.operations.some(({ kind, isDone }) => kind === 'delete' && isDone) || isErased(trace.owner))
      sim.check(!found.has(marker), () => `the text ${marker} of ${trace.sourceId} was deleted and is in the database`)
  for (const person of sim.model.people)
    if (isErased(person) && !person.mayWaitForCode)
      sim.check(
        !bytes.includes(person.signed.email),
        () => `the address of ${person.name}, who was erased, is in the database`,
      )
}
