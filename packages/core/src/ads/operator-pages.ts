import type * as z from 'zod'
import { Campaign as CampaignItem, CampaignsQuery, type NewCampaign } from './contract.ts'
import { campaignStatuses } from './rules.ts'
import { Failure } from '../http/failures.ts'
import { copyable, exactMoney, html, messagesOf, number } from '../ui/html.ts'
import { campaignsMessages } from '../messages/admin/campaigns.ts'
import type { AuditContext } from '../audit/store.ts'
import type {
  CapabilityAction,
  CreatingAction,
  FormSection,
  CapabilityHandler,
  List,
  Outcome,
} from '../admin/contract.ts'
import { listSection } from '../ui/operator/list.ts'
import { message as shared, questionPage, sectionPath, status as tag, time } from '../ui/operator/pages.ts'
import { campaignForm, parseCampaign } from './campaign-form.ts'
import { campaignPage, copiedFields, statusForm, type Campaign, type FoundCampaign } from './campaign-page.ts'

const message = messagesOf(campaignsMessages)

type Body = z.output<typeof NewCampaign>

export interface CampaignsDeps {
  readonly prefix: string
  readonly list: CapabilityHandler<z.output<typeof CampaignsQuery>, List<Campaign>>
  readonly find: CapabilityHandler<string, FoundCampaign>
  readonly create: CreatingAction<Body, { readonly campaign: { readonly id: string } }>
  readonly edit: CapabilityAction<{ id: string; body: Body }, { readonly campaign: Pick<Campaign, 'status'> }>
  readonly setStatus: CapabilityAction<{ id: string; status: 'active' | 'paused' }, unknown>
  readonly end: CapabilityAction<string, unknown>
  readonly correct: CreatingAction<{ id: string; usd: number; reason: string }, unknown>
  readonly rotateLink: CapabilityAction<string, { readonly url: string }>
  readonly revokeLink: CapabilityAction<string, unknown>
}

/** Returns the section of campaigns: a list, a page for each campaign, and the forms to create and change campaigns. */
export function campaignsSection(deps: CampaignsDeps): FormSection<'campaigns'> {
  const { list, find, create, edit, setStatus, rotateLink, revokeLink } = deps
  /** Returns the confirmation before a campaign ends, or before its sponsor's link is replaced or revoked. */
  async function askAbout(action: 'end' | 'rotate' | 'revoke', id: string, { at }: AuditContext): Promise<Outcome> {
    const found = await find(id, at)
    if (found instanceof Failure) return { done: found.code }
    const page = questionPage({
      title: message(`campaigns.${action}Ask`, { name: html`<bdi>${found.campaign.name}</bdi>` }),
      effect: html`<p>${message(`campaigns.${action}Effect`)}</p>`,
      action: `${deps.prefix}/admin/campaigns/${action}`,
      fields: { id, item: id, confirmed: 'yes' },
      button: message(`campaigns.${action}Confirm`),
      isDangerous: action !== 'rotate',
      back: `${deps.prefix}${sectionPath('campaigns', id)}`,
    })
    return { done: 'question', page }
  }
  return {
    id: 'campaigns',
    filters: campaignStatuses,
    ...listSection({
      id: 'campaigns',
      query: CampaignsQuery,
      item: CampaignItem,
      load: list,
      filterQuery: (status) => ({ status }),
      hint: message('campaigns.searchHint'),
      empty: () => message('campaigns.none'),
      view: (_: List<Campaign>, { prefix }) => ({
        above: html`<p>
          <a class="button" href="${prefix}${sectionPath('campaigns', 'new')}">${message('campaigns.create')}</a>
        </p>`,
        columns: [
          [
            message('campaigns.campaign'),
            ({ id, name, brandName, text, topics }) =>
              html`<a href="${prefix}${sectionPath('campaigns', id)}"><bdi>${name}</bdi></a
                ><small
                  ><bdi>${brandName}</bdi>: <bdi>${text}</bdi><br />${
                    topics.length > 0
                      ? message('campaigns.topicsOf', { topics: html`<bdi>${topics.join(', ')}</bdi>` })
                      : message('campaigns.allTopics')
                  }</small
                >`,
            undefined,
            'name',
          ],
          [
            shared('admin.status'),
            ({ status, startsAt, endsAt, createdAt }) => {
              const from = time(startsAt ?? createdAt)
              return html`${tag(status)}<small
                  >${
                    endsAt === null
                      ? message(
                          status === 'ended' || status === 'exhausted' ? 'campaigns.ran' : 'campaigns.runsToBudget',
                          { from },
                        )
                      : message(status === 'ended' || status === 'exhausted' ? 'campaigns.ranTo' : 'campaigns.runs', {
                          from,
                          to: time(endsAt),
                        })
                  }</small
                >`
            },
          ],
          [
            message('campaigns.spent'),
            ({ spentUsd, budgetUsd, cpmUsd }) =>
              html`${message('campaigns.ofBudget', { spent: exactMoney(spentUsd), budget: exactMoney(budgetUsd) })}<small
                  >${message('campaigns.cpmOf', { amount: exactMoney(cpmUsd) })}</small
                >`,
            'number',
            'spentUsd',
          ],
          [
            message('campaigns.impressions'),
            ({ impressions, clicks, dailyCap }) =>
              html`${number(impressions)}<small>${message('campaigns.clicksOf', { count: clicks })}</small>${
                dailyCap === null ? null : html`<small>${message('campaigns.upTo', { count: dailyCap })}</small>`
              }`,
            'number',
          ],
          [message('campaigns.createdAt'), ({ createdAt }) => time(createdAt), undefined, 'createdAt'],
          [shared('admin.actions'), (campaign) => statusForm(prefix, campaign), 'act'],
        ],
      }),
    }),
    async showItem(item, shown) {
      if (item === 'new') {
        const { copy } = shown.query
        const original = copy === undefined ? null : await find(copy, shown.now)
        if (original === null || original instanceof Failure)
          return {
            title: message('campaigns.create'),
            body: campaignForm(shown, { action: 'create', item, stored: {} }),
          }
        const { campaign } = original
        return {
          title: message('campaigns.copyOf', { name: html`<bdi>${campaign.name}</bdi>` }),
          body: html`<p>${message('campaigns.copyIntro')}</p>
            ${campaignForm(shown, { action: 'create', item, stored: copiedFields(campaign) })}`,
        }
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
        if (result instanceof Failure) return { done: result.code }
        return { done: result.campaign.status === 'exhausted' ? 'saved_exhausted' : 'saved' }
      },
      async status(value, audit) {
        const result = await setStatus(value, audit)
        return { done: result instanceof Failure ? 'not_found' : value.status }
      },
      async end({ id, confirmed }, audit) {
        if (confirmed === undefined) return askAbout('end', id, audit)
        const result = await deps.end(id, audit)
        return result instanceof Failure ? { done: result.code } : { done: 'ended', item: id }
      },
      async correct({ id, usd, reason }, audit, effectId) {
        const result = await deps.correct({ id, usd: Number(usd), reason }, audit, effectId)
        return { done: result instanceof Failure ? result.code : 'corrected', item: id }
      },
      async rotate({ id, confirmed }, audit) {
        if (confirmed === undefined) return askAbout('rotate', id, audit)
        const made = await rotateLink(id, audit)
        if (made instanceof Failure) return { done: made.code }
        const once = html`<div class="panel">
          <p><strong>${message('campaigns.linkSecret')}</strong></p>
          <p>${copyable(html`<code>${made.url}</code>`)}</p>
        </div>`
        return { done: 'link_rotated', item: id, once }
      },
      async revoke({ id, confirmed }, audit) {
        if (confirmed === undefined) return askAbout('revoke', id, audit)
        const revoked = await revokeLink(id, audit)
        return revoked instanceof Failure ? { done: revoked.code } : { done: 'link_revoked', item: id }
      },
    },
    notices: {
      created: { kind: 'done', text: () => message('campaigns.created') },
      saved: { kind: 'done', text: () => message('campaigns.saved') },
      saved_exhausted: { kind: 'info', text: () => message('campaigns.savedExhausted') },
      paused: { kind: 'done', text: () => message('campaigns.paused') },
      active: { kind: 'done', text: () => message('campaigns.resumed') },
      ended: { kind: 'done', text: () => message('campaigns.endedNow') },
      corrected: { kind: 'done', text: () => message('campaigns.corrected') },
      correction_too_large: { kind: 'error', text: () => message('campaigns.correctionTooLarge') },
      link_rotated: { kind: 'done', text: () => message('campaigns.linkRotated') },
      link_revoked: { kind: 'done', text: () => message('campaigns.linkRevoked') },
      not_found: { kind: 'error', text: () => message('campaigns.notFound') },
    },
  }
}
