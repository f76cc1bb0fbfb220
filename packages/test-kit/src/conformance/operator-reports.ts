import { check, type Check } from './check.ts'
import { matchIssues } from './matchers.ts'
import { findItem, invalidBody, invalidQuery, notFound, unknownId } from './operator-replies.ts'

/** The checks of the operator's routes for agents' reports. */
export const operatorReports: readonly Check[] = [
  check('operator', 'a report with the same meaning as a closed report is new', ['operator'], async (context) => {
    const { ask, operator, stage } = context
    const json = {
      reporter: { agent_vendor: 'tributary', agent_product: 'conformance' },
      subject: { surface: 'GET /api/nothing' },
      content: { title: `Conformance ${stage.run}: triage`, summary: 'Bearer jana.dorn@corp-mail.com\u202e' },
    }
    const { receipt } = (await ask('POST', '/api/v1/feedback', { json }).is(201)).json
    const item = await findItem(context, '/api/admin/reports', ({ id }) => id === receipt.feedback_id)
    const set = (status: string) =>
      ask('PATCH', `/api/admin/reports/${receipt.feedback_id}`, { as: operator(), json: { status } })
    for (const status of ['investigating', 'accepted']) {
      ;(await set(status).is(200)).must(
        item?.status === 'open' &&
          !JSON.stringify(item).includes('jana.dorn') &&
          !JSON.stringify(item).includes('\u202e'),
        'an open report without the address and the hidden character',
        JSON.stringify(item),
      )
      await ask('POST', '/api/v1/feedback', { json }).is(202)
    }
    const closed = await set('dismissed').is(200)
    closed.must(
      closed.json.report.status === 'dismissed' && closed.json.report.duplicates === 2,
      'dismissed, with 2 duplicates',
      JSON.stringify(closed.json.report),
    )
    const again = await ask('POST', '/api/v1/feedback', { json }).is(201)
    await ask('PATCH', `/api/admin/reports/${again.json.receipt.feedback_id}`, {
      as: operator(),
      json: { status: 'dismissed' },
    }).is(200)
    ;(await set('closed')).is(400, { ...invalidBody, issues: matchIssues('status') })
    await ask('PATCH', `/api/admin/reports/${unknownId}`, { as: operator(), json: { status: 'spam' } }).is(
      404,
      notFound,
    )
  }),
  check(
    'operator',
    'reports can be searched, counted, merged and separated',
    ['operator'],
    async ({ ask, operator, stage }) => {
      stage.leftovers.add('agent reports named "Conformance", which are dismissed')
      const as = operator()
      const send = async (title: string): Promise<string> => {
        const json = {
          reporter: { agent_vendor: 'tributary', agent_product: 'conformance' },
          subject: { surface: 'GET /api/nothing', kind: 'api_endpoint' },
          content: { title: `Conformance ${stage.run}: ${title}` },
        }
        const { receipt } = (await ask('POST', '/api/v1/feedback', { json }).is(201)).json
        const path = `/api/admin/reports/${receipt.feedback_id}`
        stage.addCleanup(() => stage.ask('PATCH', path, { as, json: { status: 'dismissed' } }))
        return receipt.feedback_id as string
      }
      const [kept, merged] = [await send('to keep'), await send('to merge')]
      const query = `q=${encodeURIComponent(`${stage.run} conformance`)}`
      const counts = await ask('GET', `/api/admin/reports/stats?${query}`, { as }).is(200)
      counts.must(counts.json.reports >= 2 && counts.json.statuses.open >= 2, 'two open reports at least')
      await ask('GET', '/api/admin/reports/stats?kind=x', { as }).is(400, invalidQuery)
      const changeReport = (id: string, action: string, json?: object) =>
        ask('POST', `/api/admin/reports/${id}/${action}`, { as, ...(json ? { json } : {}) })
      await changeReport(merged, 'merge', { into: kept }).is(200)
      const shown = await ask('GET', `/api/admin/reports/${kept}`, { as }).is(200)
      shown.must(
        shown.json.report.duplicates === 1 && shown.json.duplicates[0].id === merged,
        'the kept report with its duplicate',
        JSON.stringify(shown.json.report),
      )
      await changeReport(merged, 'merge', { into: kept }).is(200)
      await changeReport(kept, 'merge', { into: merged }).is(409, { ok: false, error: 'same_report' })
      await changeReport(merged, 'merge', { into: await send('a third') }).is(409, {
        ok: false,
        error: 'already_merged',
      })
      await changeReport(merged, 'merge', { into: 'x' }).is(400, { ...invalidBody, issues: matchIssues('into') })
      await changeReport(unknownId, 'merge', { into: kept }).is(404, notFound)
      await changeReport(merged, 'separate').is(200)
      await changeReport(merged, 'separate').is(409, { ok: false, error: 'not_duplicate' })
      await changeReport(unknownId, 'separate').is(404, notFound)
      await ask('GET', `/api/admin/reports/${unknownId}`, { as }).is(404, notFound)
    },
  ),
]
