import { topics, type campaignStatuses } from '../../ads/rules.ts'
import { Failure } from '../../http/failures.ts'
import { html, type Html, field, notice } from '../../http/html.ts'
import type { Acted, Created, FormSection, Handed, List, Shown } from '../contract.ts'
import { splitWords, type CampaignForm } from '../forms.ts'
import { idempotencyField, nextPage, status as tag, table, time } from '../pages.ts'

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
  /** Takes the unvalidated body of the JSON route. */
  readonly create: Created<Readonly<Record<string, unknown>>, unknown>
  readonly setStatus: Acted<{ id: string; status: 'active' | 'paused' }, unknown>
}

type Name = keyof CampaignForm
type FieldRow = readonly [
  name: Name,
  label: string,
  message: string,
  more?: { readonly type?: string; readonly inputmode?: string; readonly hint?: string; readonly optional?: true },
]

const fields: readonly FieldRow[] = [
  ['name', 'Name', 'Enter a name of up to 128 characters.', { hint: 'Not shown to users.' }],
  ['brandName', 'Brand', "Enter the sponsor's name, up to 64 characters."],
  ['title', 'Title', 'Enter a title of up to 100 characters.'],
  ['text', 'Sponsor line', 'Enter a line of up to 200 characters.', { hint: 'Shown in the terminal.' }],
  ['url', 'Link URL', 'Enter a URL that starts with https://.', { type: 'url' }],
  ['favicon', 'Icon URL', 'Enter a URL that starts with https://.', { type: 'url', optional: true }],
  [
    'topics',
    'Topics',
    `Enter topics of this list: ${topics.join(', ')}.`,
    { optional: true, hint: `Space-separated; empty matches all. Topics: ${topics.join(', ')}.` },
  ],
  ['cpmUsd', 'CPM (USD)', 'Enter an amount in dollars, such as 12.50.', { inputmode: 'decimal' }],
  ['budgetUsd', 'Budget (USD)', 'Enter an amount in dollars, such as 500.', { inputmode: 'decimal' }],
  ['dailyCap', 'Impressions per day', 'Enter a whole number.', { inputmode: 'numeric', optional: true }],
  [
    'startsAt',
    'Starts',
    'Enter a date and a time.',
    { type: 'datetime-local', optional: true, hint: 'UTC. Empty: starts now.' },
  ],
  [
    'endsAt',
    'Ends',
    'Enter a date and a time.',
    { type: 'datetime-local', optional: true, hint: 'UTC. With an end, the budget is spread evenly.' },
  ],
]

/** Returns the value of a `datetime-local` field as a UTC time. */
const utc = (local: string | undefined): string | undefined => (local === undefined ? undefined : `${local}:00Z`)

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/** Returns the section of campaigns, to create, pause and resume them. */
export function campaignsSection({ list, create, setStatus }: CampaignsDeps): FormSection<'campaigns'> {
  return {
    id: 'campaigns',
    title: 'Campaigns',
    filters: [],
    async show({ prefix, cursor, now, problem, formKey }) {
      const page = await list({ cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, now)
      return html`${
        page instanceof Failure
          ? notice('error', 'Could not load this list.')
          : table({
              caption: 'Newest first. Times are UTC.',
              empty: 'No campaigns yet.',
              items: page.items,
              next: nextPage(prefix, 'campaigns', {}, page.nextCursor),
              columns: [
                [
                  'Campaign',
                  ({ name, brandName, text, url }) =>
                    html`<bdi>${name}</bdi><small><bdi>${brandName}</bdi>: <bdi>${text}</bdi><br />${url}</small>`,
                ],
                ['Status', ({ status }) => tag(status)],
                ['Topics', ({ topics }) => topics.join(', ') || 'All'],
                [
                  'Spent',
                  ({ spentUsd, budgetUsd, cpmUsd }) =>
                    html`$${spentUsd.toFixed(2)} of $${budgetUsd.toFixed(2)}<small>$${cpmUsd} CPM</small>`,
                ],
                [
                  'Results',
                  ({ impressions, clicks, dailyCap }) => {
                    const results = `${count(impressions, 'impression')} · ${count(clicks, 'click')}`
                    const cap = dailyCap === null ? null : `up to ${count(dailyCap, 'impression')} per day`
                    return html`${results}${cap ? html`<small>${cap}</small>` : null}`
                  },
                ],
                [
                  'Schedule',
                  ({ startsAt, endsAt }) => html`${time(startsAt) ?? 'Now'} until ${time(endsAt) ?? 'budget is spent'}`,
                ],
                ['Actions', (campaign) => statusForm(prefix, campaign)],
              ],
            })
      }
      ${campaignForm({ prefix, problem, formKey })}`
    },
    actions: {
      async create({ topics: words, cpmUsd, budgetUsd, dailyCap, startsAt, endsAt, ...rest }, audit, effectId) {
        const result = await create(
          {
            ...rest,
            topics: splitWords(words ?? ''),
            cpmUsd: Number(cpmUsd),
            budgetUsd: Number(budgetUsd),
            dailyCap: dailyCap === undefined ? undefined : Number(dailyCap),
            startsAt: utc(startsAt),
            endsAt: utc(endsAt),
          },
          audit,
          effectId,
        )
        return { done: result instanceof Failure ? 'refused' : 'started' }
      },
      async status(value, audit) {
        const result = await setStatus(value, audit)
        return { done: result instanceof Failure ? 'not_found' : value.status }
      },
    },
    notices: {
      started: { kind: 'done', text: () => 'Campaign created.' },
      refused: {
        kind: 'error',
        text: () => 'The campaign was not created: its line is empty after sanitizing, or it ends before it starts.',
      },
      paused: { kind: 'done', text: () => 'Campaign paused. Ads that were already served still count.' },
      active: { kind: 'done', text: () => 'Campaign resumed.' },
      not_found: { kind: 'error', text: () => 'Campaign not found.' },
    },
  }
}

function statusForm(prefix: string, { id, status, name }: Campaign): Html | null {
  if (status === 'ended' || status === 'exhausted') return null
  const [next, verb] = status === 'paused' ? (['active', 'Resume'] as const) : (['paused', 'Pause'] as const)
  return html`<form method="post" action="${prefix}/admin/campaigns/status">
    <input type="hidden" name="id" value="${id}" /><input type="hidden" name="status" value="${next}" />
    <button class="second small" aria-label="${verb} ${name}">${verb}</button>
  </form>`
}

function campaignForm({ prefix, problem, formKey }: Pick<Shown, 'prefix' | 'problem' | 'formKey'>): Html {
  const failed = problem?.action === 'create' ? problem.form : null
  const isInvalid = (name: Name): boolean => failed?.issues.some(({ path }) => path[0] === name) ?? false
  return html`<h2>Create campaign</h2>
    ${problem ? notice('error', 'The campaign was not created. Correct the marked fields.') : null}
    <form method="post" action="${prefix}/admin/campaigns/create">
      ${idempotencyField(formKey)}
      ${fields.map(([name, label, message, { optional, ...more } = {}]) =>
        field({
          name,
          label,
          value: failed?.fields[name] ?? '',
          error: isInvalid(name) ? message : undefined,
          required: !optional,
          ...more,
        }),
      )}
      <p><button>Create campaign</button></p>
    </form>`
}
