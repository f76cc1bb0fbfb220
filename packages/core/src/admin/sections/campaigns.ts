import type * as z from 'zod'
import type { NewCampaign } from '../../ads/contract.ts'
import { grouped } from '../../http/format.ts'
import { Failure } from '../../http/failures.ts'
import { html, notice } from '../../http/html.ts'
import type { Acted, Created, FormSection, Handed, List } from '../contract.ts'
import { listTable, nextPage, sectionPath, status as tag, time } from '../pages.ts'
import { formatUsd } from '../../money.ts'
import { campaignForm, parseCampaign } from './campaign-form.ts'
import { campaignPage, statusForm, type Campaign, type CampaignDay } from './campaign.ts'

type Body = z.output<typeof NewCampaign>

export interface CampaignsDeps {
  readonly list: Handed<{ cursor: string | undefined; limit: number }, List<Campaign>>
  readonly find: Handed<string, { readonly campaign: Campaign; readonly days: readonly CampaignDay[] }>
  readonly create: Created<Body, { readonly campaign: { readonly id: string } }>
  readonly edit: Acted<{ id: string; body: Body }, unknown>
  readonly setStatus: Acted<{ id: string; status: 'active' | 'paused' }, unknown>
}

/**
 * Returns the section of campaigns: a list, a page for each, and the forms that create, edit, pause and resume them.
 */
export function campaignsSection({ list, find, create, edit, setStatus }: CampaignsDeps): FormSection<'campaigns'> {
  return {
    id: 'campaigns',
    filters: [],
    async show({ prefix, cursor, now }) {
      const page = await list({ cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, now)
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return html`<p><a class="button" href="${prefix}${sectionPath('campaigns', 'new')}">Create campaign</a></p>
        ${listTable({
          caption: 'Newest first. Times are UTC.',
          empty: 'No campaigns yet.',
          items: page.items,
          next: nextPage(prefix, 'campaigns', {}, page.nextCursor),
          columns: [
            [
              'Campaign',
              ({ id, name, brandName, text, topics }) =>
                html`<a href="${prefix}${sectionPath('campaigns', id)}"><bdi>${name}</bdi></a
                  ><small
                    ><bdi>${brandName}</bdi>: <bdi>${text}</bdi
                    ><br />${topics.length > 0 ? `Topics: ${topics.join(', ')}` : 'All topics'}</small
                  >`,
            ],
            ['Status', ({ status }) => tag(status)],
            [
              'Spent',
              ({ spentUsd, budgetUsd, cpmUsd }) =>
                html`${formatUsd(spentUsd)} of ${formatUsd(budgetUsd)}<small>${formatUsd(cpmUsd)} CPM</small>`,
              'number',
            ],
            [
              'Impressions',
              ({ impressions, dailyCap }) =>
                html`${grouped(impressions)}${dailyCap === null ? null : html`<small>Up to ${grouped(dailyCap)} per day</small>`}`,
              'number',
            ],
            ['Clicks', ({ clicks }) => grouped(clicks), 'number'],
            [
              'Schedule',
              ({ startsAt, endsAt, createdAt }) =>
                html`${time(startsAt ?? createdAt)}<small>to ${time(endsAt) ?? 'the end of the budget'}</small>`,
            ],
            ['Actions', (campaign) => statusForm(prefix, campaign)],
          ],
        })}`
    },
    async showItem(item, shown) {
      if (item === 'new')
        return {
          title: 'Create campaign',
          body: campaignForm(shown, { action: 'create', item, stored: {} }),
        }
      const found = await find(item, shown.now)
      return found instanceof Failure ? null : campaignPage(shown, found)
    },
    actions: {
      async create(fields, audit, effectId) {
        const parsed = parseCampaign(fields)
        if ('issues' in parsed) return { done: 'invalid', issues: parsed.issues }
        const result = await create(parsed.value, audit, effectId)
        return result instanceof Failure ? { done: result.code } : { done: 'created', item: result.campaign.id }
      },
      async edit({ id, ...fields }, audit) {
        const parsed = parseCampaign(fields)
        if ('issues' in parsed) return { done: 'invalid', issues: parsed.issues }
        const result = await edit({ id, body: parsed.value }, audit)
        return { done: result instanceof Failure ? result.code : 'saved' }
      },
      async status(value, audit) {
        const result = await setStatus(value, audit)
        return { done: result instanceof Failure ? 'not_found' : value.status }
      },
    },
    notices: {
      created: { kind: 'done', text: () => 'Campaign created.' },
      saved: { kind: 'done', text: () => 'Changes saved.' },
      paused: { kind: 'done', text: () => 'Campaign paused. Ads that were already served still count.' },
      active: { kind: 'done', text: () => 'Campaign resumed.' },
      not_found: { kind: 'error', text: () => 'Campaign not found.' },
    },
  }
}
