import { topics, type campaignStatuses } from '../../ads/rules.ts'
import { Failure } from '../../http/failures.ts'
import { html, type Html, field, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List, Shown } from '../contract.ts'
import { wordsOf, type CampaignForm } from '../forms.ts'
import { nextPage, status as tag, table, time } from '../pages.ts'

interface Campaign {
  readonly id: string
  readonly status: (typeof campaignStatuses)[number]
  readonly name: string
  readonly brandName: string
  readonly text: string
  readonly url: string
  readonly topics: readonly string[]
  readonly cpmUsd: number
  readonly budgetUsd: number
  readonly spentUsd: number
  readonly dailyCap: number | null
  readonly impressions: number
  readonly clicks: number
  readonly startsAt: string | null
  readonly endsAt: string | null
}

export interface CampaignsDeps {
  readonly list: Handed<{ cursor: string | undefined; limit: number }, List<Campaign>>
  /** Takes the body of the JSON route, not yet checked. */
  readonly create: Acted<Readonly<Record<string, unknown>>, unknown>
  readonly setStatus: Acted<{ id: string; status: 'active' | 'paused' }, unknown>
}

type Name = keyof CampaignForm
type Row = readonly [
  name: Name,
  label: string,
  wrong: string,
  more?: { readonly type?: string; readonly inputmode?: string; readonly hint?: string; readonly optional?: true },
]

const rows: readonly Row[] = [
  ['name', 'Name', 'Enter a name of 128 characters at most.', { hint: 'Only you see it.' }],
  ['brandName', 'Brand', "Enter the sponsor's name, 64 characters at most."],
  ['title', 'Title', 'Enter a title of 100 characters at most.'],
  ['text', 'Line', 'Enter the line, 200 characters at most.', { hint: 'What people read in their terminal.' }],
  ['url', 'Link', 'Enter an address that begins with https://.', { type: 'url' }],
  ['favicon', 'Icon', 'Enter an address that begins with https://.', { type: 'url', optional: true }],
  [
    'topics',
    'Topics',
    `Topics are ${topics.join(', ')}.`,
    { optional: true, hint: `Divided by spaces; none is any. ${topics.join(', ')}.` },
  ],
  [
    'cpmUsd',
    'Dollars for a thousand impressions',
    'Enter dollars as a number, such as 12.50.',
    { inputmode: 'decimal' },
  ],
  ['budgetUsd', 'Budget in dollars', 'Enter dollars as a number, such as 500.', { inputmode: 'decimal' }],
  ['dailyCap', 'Impressions a day at most', 'Enter a whole number.', { inputmode: 'numeric', optional: true }],
  [
    'startsAt',
    'Starts',
    'Enter a date and a time.',
    { type: 'datetime-local', optional: true, hint: 'UTC. Empty: at once.' },
  ],
  [
    'endsAt',
    'Ends',
    'Enter a date and a time.',
    { type: 'datetime-local', optional: true, hint: 'UTC. With an end the budget is spread evenly.' },
  ],
]

const utc = (local: string | undefined): string | undefined => (local === undefined ? undefined : `${local}:00Z`)

/** Sponsors' campaigns: start one, see what it spends, pause it and let it go on. */
export function campaignsSection({ list, create, setStatus }: CampaignsDeps): FormSection<'campaigns'> {
  return {
    id: 'campaigns',
    title: 'Campaigns',
    filters: [],
    async show({ prefix, cursor, now, problem }) {
      const found = await list({ cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, now)
      return html`${
        found instanceof Failure
          ? notice('error', 'This list cannot be shown.')
          : table({
              caption: 'Newest first. Times are UTC.',
              empty: 'No campaigns yet.',
              items: found.items,
              next: nextPage(prefix, 'campaigns', null, found.nextCursor),
              columns: [
                [
                  'Campaign',
                  ({ name, brandName, text, url }) =>
                    html`<bdi>${name}</bdi><small><bdi>${brandName}</bdi>: <bdi>${text}</bdi><br />${url}</small>`,
                ],
                ['Status', ({ status }) => tag(status)],
                ['Topics', ({ topics }) => topics.join(', ') || 'any'],
                [
                  'Spent',
                  ({ spentUsd, budgetUsd, cpmUsd }) =>
                    html`$${spentUsd.toFixed(2)} of $${budgetUsd.toFixed(2)}<small>$${cpmUsd} a thousand</small>`,
                ],
                [
                  'Counted',
                  ({ impressions, clicks, dailyCap }) =>
                    html`${impressions}, ${clicks}
                    clicked${dailyCap === null ? null : html`<small>${dailyCap} a day at most</small>`}`,
                ],
                [
                  'Runs',
                  ({ startsAt, endsAt }) =>
                    html`${time(startsAt) ?? 'at once'} to ${time(endsAt) ?? 'the end of its budget'}`,
                ],
                ['Change', (one) => change(prefix, one)],
              ],
            })
      }
      ${form(prefix, problem)}`
    },
    actions: {
      async create({ topics: words, cpmUsd, budgetUsd, dailyCap, startsAt, endsAt, ...rest }, audit) {
        const answer = await create(
          {
            ...rest,
            topics: wordsOf(words ?? ''),
            cpmUsd: Number(cpmUsd),
            budgetUsd: Number(budgetUsd),
            dailyCap: dailyCap === undefined ? undefined : Number(dailyCap),
            startsAt: utc(startsAt),
            endsAt: utc(endsAt),
          },
          audit,
        )
        return { done: answer instanceof Failure ? 'refused' : 'started' }
      },
      async status(value, audit) {
        const answer = await setStatus(value, audit)
        return { done: answer instanceof Failure ? 'not_found' : value.status }
      },
    },
    notices: {
      started: { kind: 'done', text: () => 'Campaign created.' },
      refused: {
        kind: 'error',
        text: () => 'The campaign was not started: its line has nothing to show, or its end is before its start.',
      },
      paused: { kind: 'done', text: () => 'Campaign paused. Ads that are already on screens still count.' },
      active: { kind: 'done', text: () => 'Campaign resumed.' },
      not_found: { kind: 'error', text: () => 'There is no such campaign.' },
    },
  }
}

function change(prefix: string, { id, status, name }: Campaign): Html | null {
  if (status === 'ended' || status === 'exhausted') return null
  const [next, verb] = status === 'paused' ? (['active', 'Resume'] as const) : (['paused', 'Pause'] as const)
  return html`<form method="post" action="${prefix}/admin/campaigns/status">
    <input type="hidden" name="id" value="${id}" /><input type="hidden" name="status" value="${next}" />
    <button class="second small" aria-label="${verb} ${name}">${verb}</button>
  </form>`
}

function form(prefix: string, problem: Shown['problem']): Html {
  const failed = problem?.action === 'create' ? problem.form : null
  const wrong = (name: Name): boolean => failed?.issues.some(({ path }) => path[0] === name) ?? false
  return html`<h3>Start a campaign</h3>
    ${problem ? notice('error', 'Nothing was changed. Please look at the marked fields.') : null}
    <form method="post" action="${prefix}/admin/campaigns/create">
      ${rows.map(([name, label, message, { optional, ...more } = {}]) =>
        field({
          name,
          label,
          value: failed?.fields[name] ?? '',
          error: wrong(name) ? message : undefined,
          required: !optional,
          ...more,
        }),
      )}
      <p><button>Start the campaign</button></p>
    </form>`
}
