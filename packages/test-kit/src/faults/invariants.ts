import { createHash } from 'node:crypto'
import { contentHash, type Digest, type EventData, type EventType } from '@tributary/core'
import { impliedFailures } from '@tributary/core/adapter'
import { routes } from '../conformance/contract.ts'
import { createFinder } from '../coverage.ts'
import { checkReply } from '../promise.ts'
import type { FaultPoint } from './inject.ts'
import type { ExpectedTrace } from './ledger.ts'
import type { PersonFound, Snapshot } from './snapshot.ts'
import { contactEmail, type World } from './world.ts'

/** The result of a flow that ran with one fault. */
export interface FinishedFlow {
  readonly world: World
  readonly snapshot: Snapshot
  /** Null in the run without a fault. */
  readonly point: FaultPoint | null
}

/** A condition that must hold after every flow, independent of the call at which the fault happened. */
export interface Invariant {
  readonly name: string
  /** Returns the violations of the invariant. */
  readonly violations: (finished: FinishedFlow) => readonly string[]
}

const findRoute = createFinder(routes.map((route) => ({ name: '', route })))
const sha256: Digest = (data) => createHash('sha256').update(data).digest()

/** Formats a number of times for messages: `1 time`, `2 times`. */
const formatTimes = (count: number): string => `${count} ${count === 1 ? 'time' : 'times'}`

/** Checks a condition for each person who was not erased. */
const checkPeople =
  (check: (person: PersonFound) => readonly string[]): Invariant['violations'] =>
  ({ snapshot }) =>
    snapshot.people.filter(({ expected }) => !expected.erased).flatMap(check)

/** Everything that must be true after each flow. */
export const invariants: readonly Invariant[] = [
  {
    name: 'every reply is one that its contract declares',
    violations: ({ world }) =>
      world.replies.flatMap(({ method, path, answer }) => {
        if (answer === 'broken') return []
        const route = findRoute(method, path.replace(/\?.*/, ''))
        if (!route) return [`${method} ${path} has no route`]
        try {
          checkReply(
            route,
            method,
            {
              status: answer.status,
              type: answer.headers.get('content-type'),
              text: answer.text,
              detail: answer.headers.get('x-error-detail'),
            },
            impliedFailures,
          )
          return []
        } catch (error) {
          return [error instanceof Error ? error.message.split('\n')[0]! : String(error)]
        }
      }),
  },
  {
    name: 'an outage is never answered as a bug',
    violations: ({ world, point }) =>
      world.replies.flatMap(({ method, path, answer }) =>
        point?.kind === 'outage' && answer !== 'broken' && answer.text.includes('"internal_error"')
          ? [`${method} ${path} answered 500`]
          : [],
      ),
  },
  {
    name: 'acknowledged data is stored once, as it was sent',
    violations: checkPeople(({ expected, traces, messages }) => [
      ...expected.traces.flatMap((trace) => (trace.state === 'stored' ? checkStored(trace, traces, messages) : [])),
      ...traces.flatMap(({ sourceId }) =>
        expected.traces.some((one) => one.sourceId === sourceId && one.state === 'stored')
          ? []
          : [`${sourceId} is stored and should not be`],
      ),
    ]),
  },
  {
    name: 'deleted data is gone, and of a deleted text only the hash stays',
    violations: checkPeople(({ expected, messages, jobs }) =>
      expected.traces
        .filter(({ state }) => state === 'deleted')
        .flatMap(({ id, sourceId }) => [
          ...(messages.get(id!) === null ? [] : [`${sourceId} can still be read`]),
          ...(jobs.some(({ outcomes }) => outcomes.some((one) => one.traceId === id && one.sourceId !== ''))
            ? [`an outcome still names ${sourceId}`]
            : []),
          // Each of these flows sends the traces again after the deletion.
          ...(jobs.some(({ outcomes }) =>
            outcomes.some((one) => one.sourceId === sourceId && one.outcome === 'deleted_before'),
          )
            ? []
            : [`the hash of ${sourceId} is no longer known`]),
        ]),
    ),
  },
  {
    name: 'every job is done, an acknowledged one exists, and its counts are those of its outcomes',
    violations: checkPeople(({ expected, jobs }) => [
      ...expected.jobs.flatMap((id) =>
        jobs.some((job) => job.id === id) ? [] : [`the acknowledged job ${id} does not exist`],
      ),
      ...jobs.flatMap(({ id, status, total, traceCount, rejectedCount, outcomes }) => {
        const kept = outcomes.filter(({ outcome }) => outcome === 'stored' || outcome === 'updated').length
        const indices = outcomes.map(({ index }) => index).join()
        return [
          ...(status === (expected.failedJobs.includes(id) ? 'failed' : 'done') ? [] : [`job ${id} is ${status}`]),
          ...(status === 'failed' || indices === Array.from({ length: total }, (_, at) => at).join()
            ? []
            : [`job ${id} of ${total} traces has outcomes of ${indices}`]),
          ...(outcomes.some(({ outcome }) => outcome === 'rejected') ? [`job ${id} rejected a trace`] : []),
          ...(traceCount === kept && rejectedCount === outcomes.length - kept
            ? []
            : [`job ${id} counts ${traceCount} and ${rejectedCount} of ${kept} and ${outcomes.length - kept}`]),
        ]
      }),
      ...checkExactly(
        'outcomes `stored`',
        jobs.flatMap(({ outcomes }) => outcomes).filter(({ outcome }) => outcome === 'stored').length,
        expected.traces.length,
      ),
    ]),
  },
  {
    name: 'a sale is there once, with each of its traces and no other',
    violations: ({ world: { ledger }, snapshot: { sales } }) => [
      ...ledger.sales.flatMap(({ buyer, traces }) => {
        const made = sales.filter((one) => one.buyer === buyer)
        return [
          ...checkExactly(`sales to ${buyer}`, made.length, 1),
          ...made.flatMap(({ traceCount }) =>
            checkExactly(`traces of the sale to ${buyer}`, traceCount, traces.length),
          ),
        ]
      }),
      ...checkExactly('sales', sales.length, ledger.sales.length),
    ],
  },
  {
    name: 'a campaign is there once, and its sums are those of its impressions and clicks',
    violations: ({ world: { ledger }, snapshot: { campaigns } }) => [
      ...checkExactly('campaigns', campaigns.length, ledger.campaigns.length),
      ...ledger.campaigns.flatMap(({ name, counted, clicked, corrected = 0 }) => {
        const found = campaigns.find((one) => one.name === name)
        return found === undefined
          ? [`${name} is not there`]
          : [
              ...checkExactly(`impressions of ${name}`, found.impressions, counted),
              ...checkExactly(`impressions of ${name} today`, found.today, counted),
              ...checkExactly(`clicks of ${name}`, found.clicks, clicked),
              ...checkExactly(`micro-dollars spent by ${name}`, found.spent, counted * found.price + corrected),
            ]
      }),
    ],
  },
  {
    name: "the days and the months that a sponsor reads sum up to the campaign's spend and to the ledger of contributors",
    violations: ({ world: { ledger }, snapshot: { campaigns, sponsored, people } }) => [
      ...sponsored.flatMap(({ name, days, months, isSame }) => {
        const spent = campaigns.find((one) => one.name === name)?.spent ?? -1
        const { counted, corrected = 0 } = ledger.campaigns.find((one) => one.name === name)!
        return [
          ...checkExactly(
            `micro-dollars of the days of ${name}`,
            sumColumns(days, 'spend_usd', 'corrections_usd'),
            spent,
          ),
          ...checkExactly(`micro-dollars of the months of ${name}`, sumColumns(months, 'total_usd'), spent),
          ...checkExactly(`micro-dollars of corrections of ${name}`, sumColumns(months, 'corrections_usd'), corrected),
          ...checkExactly(`impressions of the months of ${name}`, sumColumns(months, 'impressions') / 1e6, counted),
          ...(isSame ? [] : [`a closed month of ${name} changed`]),
        ]
      }),
      ...(sponsored.length === 0
        ? []
        : checkExactly(
            "micro-dollars of impressions in the contributors' ledger",
            people
              .flatMap(({ entries }) => entries)
              .reduce((sum, { kind, micros }) => (kind === 'impressions' ? sum + micros : sum), 0),
            sponsored.reduce((sum, { months }) => sum + sumColumns(months, 'spend_usd'), 0) * adShare,
          )),
    ],
  },
  {
    name: 'each sale and each campaign has one entry in the audit',
    violations: ({ snapshot: { sales, campaigns, audit } }) =>
      [...sales, ...campaigns].flatMap(({ id }) =>
        checkExactly(
          `entries of the audit that something began under ${id}`,
          audit.filter(({ target, action }) => target === id && /^(?:sale\.record|campaign\.create)$/.test(action))
            .length,
          1,
        ),
      ),
  },
  {
    name: 'an impression and a click count once for whoever saw the ad',
    violations: checkPeople(({ expected, ads: { days }, devices }) => {
      const sum = (outcome: string): number =>
        days.reduce((total, one) => total + (one.outcome === outcome ? one.count : 0), 0)
      return [
        ...checkExactly('counted impressions', sum('counted'), expected.counted),
        ...checkExactly('counted clicks', sum('clicked'), expected.clicked),
        ...checkExactly('claimed devices', devices.length, expected.devices.length),
      ]
    }),
  },
  {
    name: 'every entry of the ledger is there once, and the balance is their sum',
    violations: checkPeople(({ expected, entries, balance }) => {
      const found = entries.map(({ kind, micros }) => `${kind} ${micros}`)
      const sum = entries.reduce((total, { micros }) => total + micros, 0)
      return [
        ...(found.toSorted().join() === expected.entries.toSorted().join()
          ? []
          : [`the entries ${found.join() || 'none'} instead of ${expected.entries.join() || 'none'}`]),
        ...checkExactly('micro-dollars, available and pending,', balance.balance + balance.pending, sum),
      ]
    }),
  },
  {
    name: 'each mail to a contributor is sent once; it may be missing only when nobody knows whether it was sent',
    violations: ({ world: { mailer }, snapshot: { people, outbox } }) =>
      people.flatMap(({ expected: { signed, mails, erased } }) =>
        mails.flatMap((subject) => {
          const sent = mailer.mails.filter((mail) => mail.to === signed.email && mail.subject === subject).length
          const isUnknown = outbox.some((entry) => entry.subject === subject && entry.status === 'unknown')
          return sent === 1 || (sent === 0 && (isUnknown || erased)) ? [] : [`${subject}: sent ${formatTimes(sent)}`]
        }),
      ),
  },
  {
    name: 'a buyer is told of each trace to delete once: by its feed, an event and one mail',
    violations: ({ world: { ledger, mailer, events }, snapshot: { removals, outbox } }) => {
      const told = new Set(events.flatMap((event) => (event.type === 'trace.removal_requested' ? [event.data.id] : [])))
      return [
        ...checkExactly(
          'removals',
          removals.length,
          ledger.removals.reduce((sum, { traces }) => sum + traces, 0),
        ),
        ...removals.flatMap(({ id }) => (told.has(id) ? [] : [`no event tells of the removal ${id}`])),
        ...checkExactly('events of removals', told.size, removals.length),
        ...ledger.removals.flatMap(({ buyer }) => {
          const mails = mailer.mails.filter(({ to }) => to === buyer.email)
          const isUnknown = outbox.some(({ channel, status }) => channel === 'mail' && status === 'unknown')
          return mails.length === 1 || (mails.length === 0 && isUnknown)
            ? []
            : [`${buyer.name} was mailed ${formatTimes(mails.length)}`]
        }),
      ]
    },
  },
  {
    name: 'a report is there once, under the receipt that its sender got',
    violations: ({ world: { ledger }, snapshot: { reports, receipts } }) => [
      ...checkExactly('reports', reports.length, ledger.reports.length),
      ...ledger.reports.flatMap(({ title, receiptId }) => {
        const found = reports.find((one) => one.title === title)
        return found === undefined
          ? [`${title} is not there`]
          : [
              ...checkExactly('duplicates', found.duplicates, 0),
              ...checkExactly('pieces of evidence', found.evidenceCount, 1),
              ...(receipts.get(receiptId) === found.id
                ? []
                : [`receipt ${receiptId} leads to ${receipts.get(receiptId)}, not to ${found.id}`]),
            ]
      }),
    ],
  },
  {
    name: 'data without an idempotency key exists at least as often as it was acknowledged, and at most as often as it was sent',
    violations: ({ world: { ledger }, snapshot: { feedback, people } }) => {
      const checkWithin = (
        what: string,
        found: number,
        { acknowledged, sent }: { acknowledged: number; sent: number },
      ): string[] =>
        found >= acknowledged && found <= sent ? [] : [`${found} ${what}; acknowledged ${acknowledged}, sent ${sent}`]
      return [
        ...checkWithin('messages of feedback', feedback.length, ledger.feedback),
        ...checkWithin(
          'telemetry reports',
          people.flatMap(({ telemetryIds }) => telemetryIds).length,
          ledger.telemetry,
        ),
      ]
    },
  },
  {
    name: 'each message to the contact is mailed once; it may be missing only when nobody knows whether it was mailed',
    violations: ({ world: { mailer }, snapshot: { feedback, reports, outbox } }) => {
      const mails = mailer.mails.filter(({ to }) => to === contactEmail).map(({ text }) => text)
      const expected = feedback.length + reports.length
      const unknown = outbox.filter(({ status }) => status === 'unknown').length
      return [
        ...(mails.length > expected || new Set(mails).size < mails.length
          ? [`${mails.length} mails of ${expected} messages`]
          : []),
        ...(mails.length + unknown < expected
          ? [`${mails.length} mails and ${unknown} unknown of ${expected} messages`]
          : []),
      ]
    },
  },
  {
    name: 'the app got one event for each thing that happened, however often the event was delivered',
    violations: ({ world: { events, ledger }, snapshot: { sales, people } }) => {
      const seen = new Map(events.map((event) => [event.id, event]))
      const listEvents = <Type extends EventType>(type: Type): EventData<Type>[] =>
        [...seen.values()].filter((event) => event.type === type).map(({ data }) => data as EventData<Type>)
      const kept = people.filter(({ expected }) => !expected.erased)
      const deleted = kept.flatMap(({ expected }) =>
        expected.traces.filter(({ state, id }) => state === 'deleted' && id),
      )
      const erased = people.filter(({ expected }) => expected.erased)
      const checkSame = (what: string, got: readonly unknown[], expected: readonly unknown[]): string[] =>
        got.toSorted().join() === expected.toSorted().join()
          ? []
          : [`${what}: got ${got.join()}, not ${expected.join()}`]
      const listJobs = ({ jobs, expected }: PersonFound, status: string): string[] =>
        jobs.filter((job) => job.status === status && !expected.failedJobs.includes(job.id)).map(({ id }) => id)
      const ids = new Set(kept.map(({ expected }) => expected.signed.userId))
      return [
        ...checkSame(
          'job.completed',
          listEvents('job.completed').flatMap(({ userId, jobId }) => (ids.has(userId) ? [jobId] : [])),
          kept.flatMap((person) => listJobs(person, 'done')),
        ),
        ...checkSame(
          'sale.recorded',
          listEvents('sale.recorded').map(({ saleId }) => saleId),
          sales.map(({ id }) => id),
        ),
        ...checkSame(
          'traces.deleted',
          listEvents('traces.deleted').flatMap(({ traceIds }) => traceIds),
          deleted.map(({ id }) => id),
        ),
        ...checkSame(
          'account.erased',
          listEvents('account.erased').map(({ userId }) => userId),
          erased.map(({ expected }) => expected.signed.userId),
        ),
        ...checkExactly(
          'events of reports',
          new Set(listEvents('report.received').map(({ feedbackId }) => feedbackId)).size,
          ledger.reports.length,
        ),
      ]
    },
  },
  {
    name: 'the telemetry sink and the ad network got all that they must get, and nothing else',
    violations: ({ world: { sunk, networkReports, ledger }, snapshot: { people } }) => {
      const joinIds = (all: readonly string[]): string => [...new Set(all)].sort().join()
      const [took, kept] = [
        joinIds(sunk.map(({ id }) => id)),
        joinIds(people.flatMap(({ telemetryIds }) => telemetryIds)),
      ]
      return [
        ...(took === kept ? [] : [`the sink took ${took || 'nothing'} of ${kept || 'nothing'}`]),
        // Without a key a repetition cannot be recognized, so a lost reply may create two reports.
        ...(networkReports.length > 0 === ledger.networkImpressions > 0
          ? []
          : [`the network heard ${formatTimes(networkReports.length)}`]),
      ]
    },
  },
  {
    name: 'a credential that somebody was handed works, one that was ended does not, and one address is one account',
    violations: ({ world: { ledger }, snapshot: { credentials, revokedThatWork, people } }) => [
      ...checkExactly('ended credentials that work', revokedThatWork, 0),
      ...credentials.flatMap((userId) => (userId === null ? ['a credential that was handed out does not work'] : [])),
      ...people
        .filter(({ expected }) => !expected.erased)
        .flatMap(({ expected: { signed }, signsInAs, machines }) => [
          ...(signsInAs === signed.userId ? [] : [`${signed.email} signs in as somebody else`]),
          // One machine was signed in before the flow.
          ...(machines - 1 <= ledger.deviceLogins
            ? []
            : [`${machines} machines after ${ledger.deviceLogins} device logins`]),
        ]),
    ],
  },
  {
    name: 'of an erased person nothing is left',
    violations: ({ snapshot: { people } }) =>
      people
        .filter(({ expected }) => expected.erased)
        .flatMap(({ expected, ...found }) => [
          ...(found.hasAccount ? ['the account is there'] : []),
          ...(found.tokenWorks ? ['the token works'] : []),
          ...(found.signsInAs === expected.signed.userId ? ['the address signs in as the same person'] : []),
          ...(found.jobs.length > 0 ? ['a job is there'] : []),
          ...(found.correctionStatus === 200 ? ['the reply to a correction is there'] : []),
          ...[...found.held].flatMap(([port, held]) =>
            isEmpty(held) ? [] : [`${port} still holds ${JSON.stringify(held).slice(0, 200)}`],
          ),
        ]),
  },
  {
    name: 'nothing waits for ever: no raw upload, no job, nothing in the outbox',
    violations: ({ snapshot: { blobs, outbox, accountJobWaits } }) => [
      ...(accountJobWaits ? ['an erasure or an export of an account is left'] : []),
      ...blobs.map((key) => `the blob ${key} is left`),
      ...outbox
        .filter(({ status }) => status !== 'sent' && status !== 'unknown')
        // A failed mail with a code is recorded and not sent again: the person asks for another code.
        .filter(({ status, canResend }) => status !== 'dead' || canResend)
        .map(
          ({ channel, status, lastError }) =>
            `an entry of ${channel} is ${status}${lastError === null ? '' : `: ${lastError}`}`,
        ),
    ],
  },
  {
    name: 'a reply that was read to its end is whole',
    violations: ({ world: { ledger }, snapshot: { reads } }) =>
      ledger.reads.flatMap(({ path, got }, at) => {
        // Times are removed before the comparison: each read reports the current time, and a read an hour later updates
        // the time of the session's last use.
        const removeTimes = (text: string | undefined): string =>
          (text ?? '').replace(/"(?:exportedAt|lastUsedAt)":"[^"]*"/g, '')
        const [found, expected] = [removeTimes(got), removeTimes(reads[at])]
        const place = [...found].findIndex((char, i) => char !== expected[i])
        return found === expected
          ? []
          : [
              `${path} answered ${got.length} characters of ${reads[at]?.length}: ${found.slice(Math.max(0, place - 40), place + 40)}`,
            ]
      }),
  },
]

/** The share of the sponsors' payments that contributors get. All worlds use the default. */
const adShare = 0.5

/** Adds up columns of a CSV, in millionths. */
function sumColumns(lines: readonly string[], ...names: readonly string[]): number {
  const [header = '', ...rows] = lines
  const places = names.map((name) => header.split(',').indexOf(name))
  return rows.reduce(
    (sum, row) => places.reduce((all, place) => all + Math.round(Number(row.split(',')[place]) * 1e6), sum),
    0,
  )
}

function checkExactly(what: string, found: number, expected: number): string[] {
  return found === expected ? [] : [`${found} ${what} instead of ${expected}`]
}

function checkStored(
  { sourceId, content, kept = content, sales }: ExpectedTrace,
  traces: PersonFound['traces'],
  messages: PersonFound['messages'],
): string[] {
  const [found, ...more] = traces.filter((one) => one.sourceId === sourceId)
  if (!found || more.length > 0) return [`${sourceId} is stored ${formatTimes(more.length + (found ? 1 : 0))}`]
  return [
    ...(messages.get(found.id)?.includes(JSON.stringify(kept)) ? [] : [`${sourceId} has other content`]),
    ...(found.contentHash === contentHash([{ role: 'user', content }], sha256) ? [] : [`${sourceId} has another hash`]),
    ...checkExactly(`sales of ${sourceId}`, found.saleCount, sales),
  ]
}

/** Returns whether an export contains no data: only empty lists, nulls and switches that are off, at any depth. */
function isEmpty(held: unknown): boolean {
  if (Array.isArray(held)) return held.length === 0
  if (typeof held === 'object' && held !== null) return Object.values(held).every(isEmpty)
  return held === null || held === undefined || held === false
}
