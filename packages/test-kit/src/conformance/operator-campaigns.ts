import { makeCampaign } from './campaign.ts'
import { send } from './forms.ts'
import { signInOperator } from './people.ts'
import { check, type Check } from './check.ts'
import { amount, madeId, makeMatcher, matchIssues, matchLink, time, wholeNumber } from './matchers.ts'
import { invalidBody, notFound, unknownId } from './operator-replies.ts'

/** The checks of the operator's routes for campaigns. */
export const operatorCampaigns: readonly Check[] = [
  check(
    'operator',
    'a created campaign has the submitted details, and can be paused',
    ['operator'],
    async ({ ask, operator, stage }) => {
      const padText = (text: string, length: number): string => text.padEnd(length, '.')
      const draft = {
        ...makeCampaign(stage.run, 'quiet'),
        name: padText(`Conformance ${stage.run}`, 128),
        brandName: padText('Conformance', 64),
        title: padText('A', 100),
        text: padText('B', 200),
        startsAt: '2099-01-01T00:00:00+01:00',
        endsAt: '2099-02-01T00:00:00Z',
        dailyCap: 3,
        favicon: 'https://conformance.example/f.ico',
        budgetUsd: 0.01,
      }
      stage.leftovers.add('paused campaigns named "Conformance", and what was counted of one')
      const { json } = await ask('POST', '/api/admin/campaigns', { as: operator(), json: draft }).is(201, {
        ok: true,
        campaign: {
          ...draft,
          id: madeId,
          status: 'scheduled',
          startsAt: '2098-12-31T23:00:00.000Z',
          endsAt: '2099-02-01T00:00:00.000Z',
          createdAt: time,
          spentUsd: 0,
          impressions: 0,
          clicks: 0,
        },
      })
      for (const [status, shown] of [
        ['paused', 'paused'],
        ['active', 'scheduled'],
        ['paused', 'paused'],
      ]) {
        await ask('PATCH', `/api/admin/campaigns/${json.campaign.id}`, { as: operator(), json: { status } }).is(200, {
          ok: true,
          campaign: { ...json.campaign, status: shown },
        })
      }
      await ask('PATCH', `/api/admin/campaigns/${json.campaign.id}`, { as: operator(), json: { status: 'over' } }).is(
        400,
        invalidBody,
      )
      await ask('PATCH', `/api/admin/campaigns/${unknownId}`, { as: operator(), json: { status: 'paused' } }).is(
        404,
        notFound,
      )
    },
  ),
  check(
    'operator',
    'a campaign is replaced completely, and returned with its counts by day',
    ['operator'],
    async ({ ask, operator, stage }) => {
      const draft = { ...makeCampaign(stage.run, 'edited'), startsAt: '2099-01-01T00:00:00Z' }
      const { json } = await ask('POST', '/api/admin/campaigns', { as: operator(), json: draft }).is(201)
      const path = `/api/admin/campaigns/${json.campaign.id}`
      stage.addCleanup(() => stage.ask('PATCH', path, { as: operator(), json: { status: 'paused' } }).is(200))
      const changes = { text: `Conformance ${stage.run} anew`, startsAt: '2099-02-01T00:00:00.000Z', dailyCap: 3 }
      const changed = { ok: true, campaign: { ...json.campaign, ...changes } }
      await ask('PUT', path, { as: operator(), json: { ...draft, ...changes } }).is(200, changed)
      await ask('GET', path, { as: operator() }).is(200, { ...changed, days: [], sponsorLinkAt: null })
      await ask('PUT', path, { as: operator(), json: { ...draft, url: 'http://conformance.example' } }).is(400, {
        ...invalidBody,
        issues: matchIssues('url'),
      })
      const lostPath = `/api/admin/campaigns/${unknownId}`
      await ask('GET', lostPath, { as: operator() }).is(404, notFound)
      await ask('PUT', lostPath, { as: operator(), json: draft }).is(404, notFound)
    },
  ),
  check(
    'operator',
    'a campaign is returned as active, exhausted or ended, but only active and paused can be set',
    ['operator'],
    async ({ ask, operator, stage }) => {
      const cases = [
        [{}, 'active'],
        [{ budgetUsd: 0 }, 'exhausted'],
        [{ endsAt: '2026-01-01T00:00:00Z' }, 'ended'],
        [{ startsAt: '2099-01-01T00:00:00Z' }, 'scheduled'],
      ] as const
      for (const [changes, status] of cases) {
        const { json } = await ask('POST', '/api/admin/campaigns', {
          as: operator(),
          json: { ...makeCampaign(stage.run, status), topics: ['hosting'], ...changes },
        }).is(201)
        const path = `/api/admin/campaigns/${json.campaign.id}`
        stage.addCleanup(() => stage.ask('PATCH', path, { as: operator(), json: { status: 'paused' } }).is(200))
        const reply = await ask('GET', '/api/admin/campaigns?limit=20', { as: operator() }).is(200)
        const shown = reply.json.items.find(({ id }: { id: string }) => id === json.campaign.id)?.status
        reply.must(
          json.campaign.status === status && shown === status,
          `${status}, as POST and as GET answer`,
          `${json.campaign.status} and ${shown}`,
        )
        if (status === 'scheduled') {
          const ended = await ask('POST', `${path}/end`, { as: operator() }).is(200)
          ended.must(ended.json.campaign.status === 'ended', 'ended', ended.text)
        }
        await ask('POST', `/api/admin/campaigns/${unknownId}/end`, { as: operator() }).is(404, notFound)
        await ask('POST', '/api/admin/campaigns/no-id/end', { as: operator() }).is(400)
        for (const wrong of ['scheduled', 'exhausted', 'ended'])
          await ask('PATCH', path, { as: operator(), json: { status: wrong } }).is(400, invalidBody)
      }
    },
  ),
  check(
    'operator',
    'a sponsor reads the campaign by a link that an operator can create, replace and revoke',
    ['operator'],
    async (context) => {
      const { ask, operator, stage } = context
      const as = operator()
      const name = `Conformance name of the operator ${stage.run}`
      const draft = { ...makeCampaign(stage.run, 'sponsored'), name, startsAt: '2099-01-01T00:00:00Z' }
      const { json } = await ask('POST', '/api/admin/campaigns', { as, json: draft }).is(201)
      const path = `/api/admin/campaigns/${json.campaign.id}`
      stage.addCleanup(() => stage.ask('PATCH', path, { as: operator(), json: { status: 'paused' } }).is(200))
      const token = makeMatcher("a sponsor's token", (value) => /^trbs_[0-9A-Za-z]{36}$/.test(String(value)))
      const rotate = async () =>
        (await ask('POST', `${path}/sponsor-link`, { as }).is(200, { ok: true, token, url: matchLink })).json
      const first = await rotate()
      const page = await ask('GET', `/sponsor/${first.token}`).is(200)
      page
        .has('content-type', /^text\/html/)
        .has('x-robots-tag', /noindex/)
        .has('referrer-policy', /^no-referrer$/)
      page.must(!page.text.includes(name), "the sponsor's page without the operator's name for the campaign")
      const csv = await ask('GET', `/sponsor/${first.token}.csv`).is(200)
      csv.has('content-type', /^text\/csv/).has('x-robots-tag', /noindex/)
      csv.must(
        csv.text.startsWith('day,impressions,clicks,spend_usd,not_counted,') &&
          csv.text.trim().endsWith(',remaining_budget_usd,projected_end,corrections_usd'),
        'a header line alone',
        csv.text,
      )
      await ask('POST', `${path}/corrections`, { as, json: { usd: 0.5, reason: 'Setup fee' } }).is(200)
      await ask('POST', `${path}/corrections`, { as, json: { usd: -0.6, reason: 'Too much' } }).is(409, {
        ok: false,
        error: 'correction_too_large',
      })
      await ask('POST', `/api/admin/campaigns/${unknownId}/corrections`, { as, json: { usd: 1, reason: 'x' } }).is(
        404,
        notFound,
      )
      const months = await ask('GET', `/sponsor/${first.token}/months.csv`).is(200)
      months.has('content-type', /^text\/csv/).has('x-robots-tag', /noindex/)
      months.must(
        /^month,state,closes_on,.*\r\n\d{4}-\d{2},open,\d{4}-\d{2}-03,0,0,0,0\.000000,0\.500000,0\.500000\r\n$/.test(
          months.text,
        ),
        'one open month with the correction',
        months.text,
      )
      const second = await rotate()
      for (const suffix of ['', '.csv', '/months.csv']) {
        await ask('GET', `/sponsor/${first.token}${suffix}`).is(404)
        await ask('GET', `/sponsor/${second.token}${suffix}`).is(200)
      }
      await ask('DELETE', `${path}/sponsor-link`, { as }).is(200, { ok: true })
      for (const suffix of ['', '.csv', '/months.csv']) await ask('GET', `/sponsor/${second.token}${suffix}`).is(404)
      const { id } = json.campaign
      const cookie = await signInOperator(context)
      for (const action of ['rotate', 'revoke', 'end']) {
        const question = await send(context, `/admin/campaigns/${action}`, { id }, cookie).is(200)
        question.must(!/trbs_[0-9A-Za-z]{36}/.test(question.text), 'a question without a link')
      }
      const confirmed = { id, item: id, confirmed: 'yes' }
      const shown = await send(context, '/admin/campaigns/rotate', confirmed, cookie).is(200)
      const link = /trbs_[0-9A-Za-z]{36}/.exec(shown.text)?.[0]
      shown.must(link !== undefined, 'the new link on the page')
      await ask('GET', `/sponsor/${link}`).is(200)
      await send(context, '/admin/campaigns/revoke', confirmed, cookie).is(303)
      await ask('GET', `/sponsor/${link}`).is(404)
      const lostPath = `/api/admin/campaigns/${unknownId}/sponsor-link`
      await ask('POST', lostPath, { as }).is(404, notFound)
      await ask('DELETE', lostPath, { as }).is(404, notFound)
    },
  ),
  check('ads', 'the text of a campaign is sanitized for terminals', ['operator'], async ({ ask, operator, stage }) => {
    const draft = {
      ...makeCampaign(stage.run, 'loud'),
      brandName: 'A\u001b[31mB\u202eC\u200b',
      text: 'one\ntwo\u0007',
      startsAt: '2099-01-01T00:00:00Z',
    }
    const reply = await ask('POST', '/api/admin/campaigns', { as: operator(), json: draft }).is(201)
    const { id, brandName, text: words } = reply.json.campaign
    reply.must(
      /^[\x20-\x7e]+$/.test(brandName + words),
      'a brand and a text without controls',
      JSON.stringify([brandName, words]),
    )
    await ask('PATCH', `/api/admin/campaigns/${id}`, { as: operator(), json: { status: 'paused' } }).is(200)
  }),
  check(
    'operator',
    'an invalid campaign returns an issue for each invalid field',
    ['operator'],
    async ({ ask, operator, stage }) => {
      const wrong: [object, string][] = [
        [{ name: '' }, 'name'],
        [{ brandName: 'x'.repeat(65) }, 'brandName'],
        [{ title: 'x'.repeat(101) }, 'title'],
        [{ text: 'x'.repeat(201) }, 'text'],
        [{ text: '\u001b' }, 'text'],
        [{ url: 'http://conformance.example' }, 'url'],
        [{ favicon: 'javascript:1' }, 'favicon'],
        [{ topics: ['cars'] }, 'topics.0'],
        [{ cpmUsd: -1 }, 'cpmUsd'],
        [{ budgetUsd: '1' }, 'budgetUsd'],
        [{ dailyCap: 0.5 }, 'dailyCap'],
        [{ startsAt: 'soon' }, 'startsAt'],
        [{ startsAt: '2099-01-02T00:00:00Z', endsAt: '2099-01-01T00:00:00Z' }, 'endsAt'],
      ]
      for (const [change, place] of wrong)
        await ask('POST', '/api/admin/campaigns', {
          as: operator(),
          json: { ...makeCampaign(stage.run), ...change },
        }).is(400, { ...invalidBody, issues: matchIssues(place) })
    },
  ),
  check('operator', 'amounts and counts of campaigns are numbers', ['operator'], async ({ ask, operator }) => {
    const { json } = await ask('GET', '/api/admin/campaigns?limit=200', { as: operator() }).is(200)
    const reply = await ask('GET', '/api/admin/campaigns?limit=1', { as: operator() })
    reply.must(
      json.items.every(
        (one: Record<string, unknown>) =>
          amount(one['spentUsd']) &&
          amount(one['budgetUsd']) &&
          wholeNumber(one['impressions']) &&
          wholeNumber(one['clicks']),
      ),
      'numbers from 0',
    )
  }),
]
