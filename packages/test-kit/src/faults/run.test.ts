import type { Stores } from '@tributary/core'
import { describe, expect, test } from 'vitest'
import { createMemoryBlobs } from '../fixtures/blobs.ts'
import { createTestStores } from '../fixtures/database.ts'
import { flows } from './flows.ts'
import { FaultInjector } from './inject.ts'
import { openPglite } from './pglite.fixture.ts'
import { faultPlaces } from './places.ts'
import { describePoint, runFaults, type FlowReport } from './run.ts'
import { isFullRun } from '../fixtures/full-run.ts'
import { makeSaleShares } from '../fixtures/seed.ts'
import { makeAuditContext } from '../contracts/audit.ts'

const listViolations = (reports: readonly FlowReport[]): string[] =>
  reports.flatMap(({ flow, violations }) =>
    violations.map(({ point, invariant, detail }) => `${flow}, ${describePoint(point)}: ${invariant}: ${detail}`),
  )

/** Stores with one port broken. */
const makeBrokenPlace = (breakStores: (stores: Stores) => void) => ({
  broken: async () => ({
    async empty(clock: () => number) {
      const stores = createTestStores()
      breakStores(stores)
      return { stores, blobs: createMemoryBlobs(clock) }
    },
    close: async () => undefined,
  }),
})

async function findViolations(flow: string, breakStores: (stores: Stores) => void): Promise<string> {
  const reports = await runFaults({
    places: makeBrokenPlace(breakStores),
    flows: flows.filter(({ name }) => name === flow),
    pointsPerFlow: 4,
  })
  return listViolations(reports).join('\n')
}

describe('runFaults', () => {
  test('finds no violation in the Postgres stores at a point of each flow', { tags: 'slow' }, async () => {
    const reports = await runFaults({ places: { postgres: openPglite }, pointsPerFlow: 1 })
    expect(listViolations(reports)).toEqual([])
    expect(reports.filter(({ points }) => points < 1).map(({ flow }) => flow)).toEqual([])
  })

  test(
    'finds no violation in the libSQL and the Postgres stores at a few points of an upload',
    { tags: 'long' },
    async () => {
      const reports = await runFaults({
        places: { ...faultPlaces, postgres: openPglite },
        flows: flows.filter(({ name }) => name === 'ingest'),
        pointsPerFlow: isFullRun ? 6 : 2,
      })
      expect(listViolations(reports)).toEqual([])
    },
  )

  test('reports an acknowledged job that was not stored', async () => {
    expect(
      await findViolations('ingest', ({ ingest }) => Object.assign(ingest, { enqueueJob: async () => null })),
    ).toContain('acknowledged data is stored once, as it was sent: sent-0 is stored 0 times')
  })

  test('reports a sale that was recorded twice', async () => {
    expect(
      await findViolations('sale', ({ dataset }) => {
        const sell = dataset.recordSale.bind(dataset)
        Object.assign(dataset, {
          recordSale: async ({ sale, items, shares }: Parameters<typeof sell>[0]) => {
            const again = { sale: { ...sale, id: `${sale.id}-again` }, shares: makeSaleShares() }
            await sell({ ...again, items, audit: makeAuditContext() })
            return sell({ sale, items, shares, audit: makeAuditContext() })
          },
        })
      }),
    ).toContain('2 sales to buyer of two instead of 1')
  })

  test('reports an erased account with remaining data', async () => {
    expect(
      await findViolations('erasure', ({ telemetry }) => {
        const find = telemetry.export.bind(telemetry)
        Object.assign(telemetry, {
          export: async (params: Parameters<typeof find>[0]) => ({ ...(await find(params)), feedback: ['left'] }),
        })
      }),
    ).toContain('of an erased person nothing is left: telemetry still holds')
    expect(
      await findViolations('erasure', ({ idempotency }) => Object.assign(idempotency, { erase: async () => false })),
    ).toContain('of an erased person nothing is left: the reply to a correction is there')
  })

  test('reports a mail that was sent twice', async () => {
    expect(
      await findViolations('mail', ({ outbox }) => {
        Object.assign(outbox, {
          acknowledge: async ({ lease, ids, now }: Parameters<typeof outbox.acknowledge>[0]) =>
            outbox.retry({ lease, ids, error: '', dueAt: now + 1000 }),
        })
      }),
    ).toMatch(/mails of 2 messages/)
  })

  test('reports a store that fails only when a reply is lost', async () => {
    // This store neither remembers keys nor compares reports, so a repeated report becomes a second report.
    const [report] = await runFaults({
      places: makeBrokenPlace(({ reports }) => {
        const createReport = reports.createReport.bind(reports)
        Object.assign(reports, {
          claimKey: async () => 'claimed',
          createReport: async ({ report, mail, event }: Parameters<typeof createReport>[0]) =>
            createReport({ report: { ...report, similarityHash: report.id }, keyLease: null, mail, event }),
        })
      }),
      flows: flows.filter(({ name }) => name === 'report'),
      call: 'reports.createReport',
    })
    expect(report!.violations.map(({ point }) => describePoint(point))).toContain(
      'outage after reports.createReport (call 1)',
    )
    expect(listViolations([report!]).join('\n')).toContain('2 reports instead of 1')
  })
})

describe('FaultInjector', () => {
  const createPort = () => {
    const done: string[] = []
    return {
      done,
      async save(what: string) {
        done.push(what)
        return done.length
      },
      async *export() {
        yield* done
      },
      async page() {
        return { next: null, documents: this.export() }
      },
    }
  }

  test('counts each call and each `next` of a stream while armed', async () => {
    const injector = new FaultInjector()
    const wrapped = injector.wrap('port', createPort())
    await wrapped.save('a')
    injector.armed = true
    await wrapped.save('b')
    for await (const _ of wrapped.export());
    for await (const _ of (await wrapped.page()).documents);
    expect(injector.calls.map(({ call, occurrence }) => `${call} ${occurrence}`)).toEqual([
      'port.save 1',
      'port.export.next 1',
      'port.export.next 2',
      'port.export.next 3',
      'port.page 1',
      'port.page.documents.next 1',
      'port.page.documents.next 2',
      'port.page.documents.next 3',
    ])
  })

  test.each([
    ['before', []],
    ['after', ['a']],
  ] as const)('throws %s the call took effect', async (time, left) => {
    const injector = new FaultInjector({ call: 'port.save', occurrence: 1, time, kind: 'outage' })
    const target = createPort()
    const wrapped = injector.wrap('port', target, { afterEffect: { uncertain: true } })
    injector.armed = true
    const error: unknown = await wrapped.save('a').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'Unavailable' })
    expect((error as { uncertain?: boolean }).uncertain).toBe(time === 'after' ? true : undefined)
    expect(injector.threw(new Error('wrapped', { cause: error }))).toBe(true)
    expect(target.done).toEqual(left)
    expect(await wrapped.save('b')).toBe(left.length + 1)
  })
})
