import type * as z from 'zod'
import { NewCampaign, type Campaign } from './contract.ts'
import { pricePerImpression, topics, type Topic } from './rules.ts'
import { longestText, sponsorLine } from './terminal.ts'
import type { Issue } from '../http/failures.ts'
import { field, fieldErrors, formError, html, type Html, messagesOf } from '../ui/html.ts'
import { check } from '../http/parse.ts'
import { campaignsMessages } from '../messages/admin/campaigns.ts'
import { toMicros } from '../money.ts'
import type { SectionListParams } from '../admin/contract.ts'
import { idempotencyField, message as shared, sectionPath } from '../ui/operator/pages.ts'

const message = messagesOf(campaignsMessages)

/** The form of a campaign with the entered values. The value of a topic is `yes` if its box is selected. */
export type CampaignFields = Readonly<Partial<Record<FieldName | Topic, string | undefined>>>

interface Attributes {
  readonly type?: string
  readonly inputmode?: string
  readonly maxlength?: number
  readonly required?: false
}

/** The fields in their order; the text of each is `campaigns.<name>`. */
const creative = {
  brandName: { maxlength: 64 },
  title: { maxlength: 100 },
  text: { maxlength: longestText },
  url: { type: 'url' },
  favicon: { type: 'url', required: false },
} as const satisfies Readonly<Record<string, Attributes>>

const delivery = {
  name: { maxlength: 128 },
  dailyCap: { inputmode: 'numeric', required: false },
  cpmUsd: { inputmode: 'decimal' },
  budgetUsd: { inputmode: 'decimal' },
  startsAt: { type: 'datetime-local', required: false },
  endsAt: { type: 'datetime-local', required: false },
} as const satisfies Readonly<Record<string, Attributes>>

type FieldName = keyof typeof creative | keyof typeof delivery

const fieldRows = (fields: object) => Object.entries(fields) as [FieldName, Attributes][]

/** The placeholders in the texts of fields. */
const values = { longest: longestText }

/** Returns the hint of a field, or undefined if the field has no hint. */
function findHint(name: FieldName): Html | undefined {
  const key = `campaigns.${name}.hint`
  return Object.hasOwn(campaignsMessages, key) ? message(key as 'campaigns.text.hint', values) : undefined
}

/**
 * Parses the entered values like the JSON route, and refuses a campaign that could never be shown. Issues name the
 * field in `path[0]`.
 */
export function parseCampaign(fields: CampaignFields): { value: z.output<typeof NewCampaign> } | { issues: Issue[] } {
  const { cpmUsd, budgetUsd, dailyCap, startsAt, endsAt, ...texts } = fields
  const parsed = check(NewCampaign, {
    ...texts,
    topics: topics.filter((topic) => fields[topic] === 'yes'),
    cpmUsd: parseNumber(cpmUsd),
    budgetUsd: parseNumber(budgetUsd),
    dailyCap: parseNumber(dailyCap),
    startsAt: toUtc(startsAt),
    endsAt: toUtc(endsAt),
  })
  if ('issues' in parsed) return parsed
  const issues = neverShown(parsed.value)
  return issues.length > 0 ? { issues } : parsed
}

/**
 * Returns the issues of a campaign that could never be shown, because the campaign is free, or because its budget or
 * cap does not allow an impression.
 */
function neverShown({ cpmUsd, budgetUsd, dailyCap }: z.output<typeof NewCampaign>): Issue[] {
  const price = pricePerImpression(cpmUsd)
  const issue = (name: FieldName, message: string): Issue => ({ path: [name], code: 'too_small', message })
  return [
    ...(price === 0 ? [issue('cpmUsd', 'The price of an impression is 0.')] : []),
    ...(toMicros(budgetUsd) < Math.max(1, price) ? [issue('budgetUsd', 'The budget pays for no impression.')] : []),
    ...(dailyCap === 0 ? [issue('dailyCap', 'The cap allows no impression.')] : []),
  ]
}

/** Returns the entered number, or NaN if the text is not a number. Every field refuses NaN. */
const parseNumber = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : /^\d{1,12}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN

/** Returns the value of a `datetime-local` field as a UTC timestamp. */
const toUtc = (local: string | undefined): string | undefined =>
  local === undefined ? undefined : /T\d\d:\d\d$/.test(local) ? `${local}:00Z` : `${local}Z`

/** Returns a UTC timestamp as the value of a `datetime-local` field, with seconds only if there are any. */
const toLocal = (iso: string | null): string => iso?.replace(/(?::00)?(?:\.000)?Z$/, '') ?? ''

/** Returns an amount with two decimals, or with more decimals if the amount has fractions of a cent. */
const formatDollars = (usd: number): string => {
  const cents = usd.toFixed(2)
  return Number(cents) === usd ? cents : String(usd)
}

/** The fields of a campaign in its JSON representation that the form can edit. */
export type EditableCampaign = Omit<
  z.output<typeof Campaign>,
  'id' | 'status' | 'createdAt' | 'spentUsd' | 'impressions' | 'clicks'
>

/** Returns the fields of a stored campaign as its form shows them. */
export const toFields = ({ topics: chosen, ...campaign }: EditableCampaign): CampaignFields => ({
  ...campaign,
  ...Object.fromEntries(chosen.map((topic) => [topic, 'yes'])),
  favicon: campaign.favicon ?? '',
  cpmUsd: formatDollars(campaign.cpmUsd),
  budgetUsd: formatDollars(campaign.budgetUsd),
  dailyCap: campaign.dailyCap === null ? '' : String(campaign.dailyCap),
  startsAt: toLocal(campaign.startsAt),
  endsAt: toLocal(campaign.endsAt),
})

/** The texts of the preview for fields that are still empty. */
const previewText = { brandName: 'Brand', text: '…' }

/** Renders the line as terminals show it. `campaign-preview.js` updates the preview while the person types. */
function preview({ brandName, text }: CampaignFields): Html {
  const line = { isPaid: true, brandName: brandName || previewText.brandName, text: text || previewText.text }
  const placeholders = html`data-brand="${previewText.brandName}" data-text="${previewText.text}"`
  const previewIn = (columns: number): Html =>
    html`<figure>
      <figcaption>${message('campaigns.columns', { count: columns })}</figcaption>
      <pre
        role="region"
        aria-label="${message('campaigns.previewIn', { count: columns })}"
        tabindex="0"
      ><code data-columns="${columns}" ${placeholders}>${sponsorLine(line, columns)}</code></pre>
    </figure>`
  return html`<div class="preview">
    <p><strong>${message('campaigns.preview')}</strong></p>
    <p class="hint">${message('campaigns.previewHint')}</p>
    ${previewIn(80)}
    <details>
      <summary>${message('campaigns.otherWidths')}</summary>
      ${[40, 120].map(previewIn)}
    </details>
  </div>`
}

/** Renders a check box for each topic. */
const topicBoxes = (fields: CampaignFields): Html =>
  html`<fieldset>
    <legend>${message('campaigns.topics')}</legend>
    <p class="hint">${message('campaigns.topics.hint')}</p>
    <div class="boxes">
      ${topics.map(
        (topic) =>
          html`<label
            ><input
              type="checkbox"
              name="${topic}"
              value="yes"
              ${fields[topic] === 'yes' ? html` checked` : null}
            /><bdi>${topic}</bdi></label
          >`,
      )}
    </div>
  </fieldset>`

/**
 * Renders the form that creates a campaign, or edits the campaign `item`. The form shows the refused values, the values
 * that the preview button sent, or `stored`. `startHint` is the hint at the start of a campaign that has started. The
 * delivery fields come first, because a copy of a campaign has no dates.
 */
export function campaignForm(
  { prefix, problem, query, formKey }: Pick<SectionListParams, 'prefix' | 'problem' | 'query' | 'formKey'>,
  {
    action,
    item,
    stored,
    startHint = null,
  }: {
    action: 'create' | 'edit'
    item: string
    stored: CampaignFields
    startHint?: Html | null
  },
): Html {
  const failed = problem?.action === action ? problem.form : null
  const fields: CampaignFields = failed?.fields ?? ('brandName' in query ? query : stored)
  const isNew = action === 'create'
  const findError = (name: FieldName): Html | undefined => {
    const issue = failed?.issues.find(({ path }) => path[0] === name)
    if (!issue) return undefined
    if (name === 'endsAt' && issue.code === 'custom') return message('campaigns.endsAt.beforeStart')
    if (name === 'budgetUsd' && issue.code === 'too_small') return message('campaigns.budgetUsd.tooSmall')
    return message(`campaigns.${name}.error`, values)
  }
  const input = ([name, attributes]: readonly [FieldName, Attributes]): Html => {
    const hint = (name === 'startsAt' ? startHint : null) ?? findHint(name)
    return field({
      name,
      label: message(`campaigns.${name}`),
      value: fields[name] ?? '',
      error: findError(name),
      ...(hint ? { hint } : {}),
      ...attributes,
    })
  }
  const errors = [...fieldRows(delivery), ...fieldRows(creative)].flatMap(([name]) => {
    const error = findError(name)
    return error === undefined ? [] : [[name, error] as const]
  })
  const sponsorPart = html`<fieldset>
    <legend>${message('campaigns.sponsor')}</legend>
    ${fieldRows(creative).map(input)} ${preview(fields)}
  </fieldset>`
  const deliveryPart = html`<fieldset>
    <legend>${message('campaigns.delivery')}</legend>
    ${fieldRows(delivery).map(input)} ${topicBoxes(fields)}
  </fieldset>`
  return html`${errors.length > 0 ? fieldErrors(errors) : failed ? formError() : null}
    <form class="parts" method="post" action="${prefix}/admin/campaigns/${action}">
      <input type="hidden" name="item" value="${item}" />
      ${isNew ? idempotencyField(formKey) : html`<input type="hidden" name="id" value="${item}" />`} ${deliveryPart}
      ${sponsorPart}
      <p class="actions">
        <button>${message(isNew ? 'campaigns.create' : 'campaigns.save')}</button>
        <button
          class="second"
          formmethod="get"
          formaction="${prefix}/admin/campaigns/${item}"
          formnovalidate
          data-preview
        >
          ${message('campaigns.updatePreview')}
        </button>
        ${isNew ? html`<a href="${prefix}${sectionPath('campaigns')}">${shared('admin.cancel')}</a>` : null}
      </p>
    </form>
    <script type="module" src="${prefix}/assets/campaign-preview.js"></script>`
}
