import type * as z from 'zod'
import { NewCampaign } from '../../ads/contract.ts'
import { topics } from '../../ads/rules.ts'
import { longestText, sponsorLine } from '../../ads/terminal.ts'
import type { Issue } from '../../http/failures.ts'
import { field, html, notice, type Html } from '../../http/html.ts'
import { check } from '../../http/parse.ts'
import type { Shown } from '../contract.ts'
import { splitWords } from '../forms.ts'
import { idempotencyField } from '../pages.ts'

/** The form of a campaign as it was entered. */
export type CampaignFields = Readonly<Partial<Record<FieldName, string | undefined>>>

type FieldName =
  | 'name'
  | 'brandName'
  | 'title'
  | 'text'
  | 'url'
  | 'favicon'
  | 'topics'
  | 'cpmUsd'
  | 'budgetUsd'
  | 'dailyCap'
  | 'startsAt'
  | 'endsAt'
type FieldRow = readonly [
  name: FieldName,
  label: string,
  message: string,
  more?: {
    readonly type?: string
    readonly inputmode?: string
    readonly hint?: string
    readonly maxlength?: number
    readonly required?: false
  },
]

const creative: readonly FieldRow[] = [
  ['brandName', 'Brand', "Enter the sponsor's name, up to 64 characters.", { maxlength: 64 }],
  [
    'text',
    'Sponsor line',
    `Enter a line of up to ${longestText} characters.`,
    { hint: 'Shown in the terminal after the brand.', maxlength: longestText },
  ],
  [
    'title',
    'Title',
    'Enter a title of up to 100 characters.',
    { hint: 'For clients that show more than one line.', maxlength: 100 },
  ],
  ['url', 'Link URL', 'Enter a URL that starts with https://.', { type: 'url' }],
  ['favicon', 'Icon URL', 'Enter a URL that starts with https://.', { type: 'url', required: false }],
]

const delivery: readonly FieldRow[] = [
  [
    'name',
    'Campaign name',
    'Enter a name of up to 128 characters.',
    { hint: 'Only operators see it.', maxlength: 128 },
  ],
  [
    'topics',
    'Topics',
    `Enter topics of this list: ${topics.join(', ')}.`,
    { required: false, hint: `Separated by spaces; empty matches all. Topics: ${topics.join(', ')}.` },
  ],
  [
    'cpmUsd',
    'CPM (USD)',
    'Enter an amount in dollars, such as 12.50.',
    { inputmode: 'decimal', hint: 'Price of a thousand counted impressions.' },
  ],
  ['budgetUsd', 'Budget (USD)', 'Enter an amount in dollars, such as 500.', { inputmode: 'decimal' }],
  ['dailyCap', 'Impressions per day', 'Enter a whole number.', { inputmode: 'numeric', required: false }],
  [
    'startsAt',
    'Starts',
    'Enter a date and a time.',
    { type: 'datetime-local', required: false, hint: 'UTC. Empty: starts at once.' },
  ],
  [
    'endsAt',
    'Ends',
    'Enter a date and a time.',
    { type: 'datetime-local', required: false, hint: 'UTC. With an end, the budget is spread evenly over the run.' },
  ],
]

/** Parses what was entered as the JSON route does. Issues name the field in `path[0]`. */
export function parseCampaign(fields: CampaignFields): { value: z.output<typeof NewCampaign> } | { issues: Issue[] } {
  const { topics: words, cpmUsd, budgetUsd, dailyCap, startsAt, endsAt, ...texts } = fields
  return check(NewCampaign, {
    ...texts,
    topics: splitWords(words ?? ''),
    cpmUsd: numberOf(cpmUsd),
    budgetUsd: numberOf(budgetUsd),
    dailyCap: numberOf(dailyCap),
    startsAt: utcOf(startsAt),
    endsAt: utcOf(endsAt),
  })
}

/** Returns the number that was entered, or NaN, which no field takes. */
const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : /^\d{1,12}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN

/** Returns the value of a `datetime-local` field as a UTC timestamp. */
const utcOf = (local: string | undefined): string | undefined =>
  local === undefined ? undefined : /T\d\d:\d\d$/.test(local) ? `${local}:00Z` : `${local}Z`

/** Returns a UTC timestamp as the value of a `datetime-local` field, with seconds only where there are some. */
const localOf = (iso: string | null): string => iso?.replace(/(?::00)?(?:\.000)?Z$/, '') ?? ''

/** A campaign as JSON shows it, as far as its form does. */
export interface EditableCampaign {
  readonly name: string
  readonly brandName: string
  readonly title: string
  readonly text: string
  readonly url: string
  readonly favicon: string | null
  readonly topics: readonly string[]
  readonly cpmUsd: number
  readonly budgetUsd: number
  readonly dailyCap: number | null
  readonly startsAt: string | null
  readonly endsAt: string | null
}

/** Returns the fields of a stored campaign as its form shows them. */
export const fieldsOf = (campaign: EditableCampaign): CampaignFields => ({
  ...campaign,
  favicon: campaign.favicon ?? '',
  topics: campaign.topics.join(' '),
  cpmUsd: String(campaign.cpmUsd),
  budgetUsd: String(campaign.budgetUsd),
  dailyCap: campaign.dailyCap === null ? '' : String(campaign.dailyCap),
  startsAt: localOf(campaign.startsAt),
  endsAt: localOf(campaign.endsAt),
})

/** The widths of terminals in which the preview shows the line. */
const previewColumns = [40, 80, 120] as const

/** Renders the line as terminals show it. `campaign-preview.js` shows the same as it is typed. */
function preview({ brandName, text }: CampaignFields): Html {
  const line = { isPaid: true, brandName: brandName || 'Brand', text: text || 'Sponsor line' }
  return html`<div class="preview">
    <p><strong>Preview</strong></p>
    ${previewColumns.map(
      (columns) =>
        html`<figure>
          <figcaption>${columns} columns</figcaption>
          <pre
            role="region"
            aria-label="Preview in ${columns} columns"
            tabindex="0"
          ><code data-columns="${columns}">${sponsorLine(line, columns)}</code></pre>
        </figure>`,
    )}
  </div>`
}

/**
 * Renders the form that creates a campaign, or edits the one with the id. It shows what was entered before it was
 * refused, or what the button of the preview sent, else `stored`.
 */
export function campaignForm(
  { prefix, problem, query, formKey }: Pick<Shown, 'prefix' | 'problem' | 'query' | 'formKey'>,
  { action, item, stored }: { action: 'create' | 'edit'; item: string; stored: CampaignFields },
): Html {
  const failed = problem?.action === action ? problem.form : null
  const fields: CampaignFields = failed?.fields ?? ('brandName' in query ? query : stored)
  const isNew = action === 'create'
  const errorOf = (name: FieldName, message: string): string | undefined => {
    const issue = failed?.issues.find(({ path }) => path[0] === name)
    return issue && (name === 'endsAt' && issue.code === 'custom' ? 'Enter an end that is after the start.' : message)
  }
  const input = ([name, label, message, more]: FieldRow): Html =>
    field({ name, label, value: fields[name] ?? '', error: errorOf(name, message), ...more })
  return html`${failed ? notice('error', `The campaign was not ${isNew ? 'created' : 'changed'}. Correct the marked fields.`) : null}
    <form class="parts" method="post" action="${prefix}/admin/campaigns/${action}">
      <input type="hidden" name="item" value="${item}" />
      ${isNew ? idempotencyField(formKey) : html`<input type="hidden" name="id" value="${item}" />`}
      <fieldset>
        <legend>Sponsor</legend>
        ${creative.map(input)} ${preview(fields)}
      </fieldset>
      <fieldset>
        <legend>Delivery</legend>
        ${delivery.map(input)}
      </fieldset>
      <p class="actions">
        <button>${isNew ? 'Create campaign' : 'Save changes'}</button>
        <button
          class="second"
          formmethod="get"
          formaction="${prefix}/admin/campaigns/${item}"
          formnovalidate
          data-preview
        >
          Update preview
        </button>
      </p>
    </form>
    <script type="module" src="${prefix}/assets/campaign-preview.js"></script>`
}
