import { check, type Check } from '../conformance/check.ts'
import { acceptTerms, approveContributor, makeBuyer } from '../conformance/people.ts'
import { makeTrace, send, waitForJob } from '../conformance/stored-traces.ts'

const zero = '00000000-0000-0000-0000-000000000000'

/** Attacks on the record of the data that each operator read. */
export const reading: readonly Check[] = [
  check(
    'API8',
    'a read of a dataset or the waitlist with a cursor before the first item is recorded in the audit log',
    ['operator', 'mailbox', 'contributor'],
    async ({ ask, operator, own, stage }) => {
      const seller = await own('seller')
      await acceptTerms(stage, seller)
      await approveContributor(stage, seller)
      await waitForJob(stage, await send(stage, [makeTrace(stage, 'seller')], {}, seller), seller)
      const [trace] = (await ask('GET', '/api/traces', { as: seller.bearer }).is(200)).json.traces
      const buyer = await makeBuyer(stage, 'audited')
      const json = { buyer: buyer.name, traceIds: [trace.id], usd: 0 }
      const { saleId } = (await ask('POST', '/api/admin/sales', { as: operator(), json }).is(200)).json
      stage.leftovers.add('sales to buyers "conformance …", and their traces in the dataset, without the person')
      const lists = [
        ['/api/admin/dataset?limit=1', operator()],
        [`/api/admin/dataset?saleId=${saleId}&limit=1`, operator()],
        ['/api/admin/waitlist?limit=1', operator()],
        [`/api/buyer/sales/${saleId}/dataset?limit=1`, buyer.bearer],
      ] as const
      for (const [i, [path, as]] of lists.entries()) {
        // The first read of the day always has an entry.
        await ask('GET', path, { as }).is(200)
        for (const [j, cursor] of [
          '0',
          '00000000',
          zero,
          `{${zero}}`,
          '-1',
          '%00',
          '',
          'joinedAt.asc~0~n0',
        ].entries()) {
          const id = `audited-${stage.run}-${i}-${j}`
          const read = await ask('GET', `${path}&cursor=${cursor}`, { as, headers: { 'x-request-id': id } })
          if (read.status === 400) continue
          read.is(200)
          const { items } = (await ask('GET', '/api/admin/audit?limit=200', { as: operator() }).is(200)).json
          const isRecorded = items.some(({ requestId }: { requestId: string }) => requestId === id)
          read.must(isRecorded, 'an entry in the audit')
        }
      }
    },
  ),
]
