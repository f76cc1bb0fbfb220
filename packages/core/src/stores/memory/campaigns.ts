import type { AdStore, Campaign, CampaignStatus, NewCampaign } from '../../ads/store.ts'
import type { MemoryAudit } from './audit.ts'

/** A campaign with its ledger: what was counted by UTC day. */
export interface KeptCampaign extends NewCampaign {
  readonly num: number
  status: CampaignStatus
  spent: number
  impressions: number
  clicks: number
  readonly days: Map<number, { impressions: number; micros: number; clicks: number }>
}

export function dayOfCampaign(
  campaign: KeptCampaign,
  day: number,
): { impressions: number; micros: number; clicks: number } {
  let found = campaign.days.get(day)
  if (!found) campaign.days.set(day, (found = { impressions: 0, micros: 0, clicks: 0 }))
  return found
}

function shown({ days: _, ...campaign }: KeptCampaign): Campaign {
  return campaign
}

/** The part of the ads store that speaks of campaigns and secrets; `kept` is shared with the serves. */
export function memoryCampaigns(
  kept: Map<number, KeptCampaign>,
  audits: Pick<MemoryAudit, 'record'>,
): Pick<AdStore, 'listActiveCampaigns' | 'createCampaign' | 'listCampaigns' | 'setCampaignStatus' | 'rotateSecrets'> {
  let secrets: { secret: string; madeAt: number }[] = []
  return {
    async listActiveCampaigns(day) {
      return [...kept.values()]
        .filter(({ status }) => status === 'active')
        .map((one) => ({ ...shown(one), day, impressionsToday: one.days.get(day)?.impressions ?? 0 }))
    },
    async createCampaign(campaign, audit) {
      const there = [...kept.values()].find(({ id }) => id === campaign.id)
      if (there) return shown(there)
      const num = kept.size + 1
      const added: KeptCampaign = {
        ...campaign,
        num,
        status: 'active',
        spent: 0,
        impressions: 0,
        clicks: 0,
        days: new Map(),
      }
      kept.set(num, added)
      const { id, name, brandName, url, cpmUsd, budget } = campaign
      audits.record(audit, 'campaign.create', id, null, { name, brandName, url, cpmUsd, budgetUsd: budget / 1_000_000 })
      return shown(added)
    },
    async listCampaigns({ cursor, limit }) {
      const older = [...kept.values()].filter(({ num }) => cursor === null || num < cursor).reverse()
      const items = older.slice(0, limit).map(shown)
      return { items, next: older.length > limit ? items.at(-1)!.num : null }
    },
    async setCampaignStatus(id, status, audit) {
      const found = [...kept.values()].find((one) => one.id === id)
      if (!found) return null
      if (found.status !== status) audits.record(audit, 'campaign.update', id, { status: found.status }, { status })
      found.status = status
      return shown(found)
    },
    async rotateSecrets(fresh, now, since) {
      if (!secrets.some(({ madeAt }) => madeAt > since))
        secrets = [{ secret: fresh, madeAt: now }, ...secrets].slice(0, 2)
      return secrets.map(({ secret }) => secret)
    },
  }
}
