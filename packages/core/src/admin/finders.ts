import type { CampaignsDeps } from '../ads/campaigns.ts'
import type { Entry, TargetNames } from '../audit/entry-text.ts'
import { normalizeAddress } from '../auth/rules.ts'
import type { ContributorsDeps } from '../contributors/handlers.ts'
import type { WebhooksDeps } from '../events/webhooks/handlers.ts'
import { firstOf } from '../lists.ts'
import type { ReportsDeps } from '../reports/handlers.ts'
import type { BuyersDeps } from '../traces/buyers/handlers.ts'
import type { FindAddresses, FindName } from './contract.ts'

interface FinderDeps {
  readonly contributors: ContributorsDeps
  readonly buyers: BuyersDeps
  readonly campaigns: CampaignsDeps
  readonly reports: ReportsDeps
  readonly webhooks: WebhooksDeps
}

/** Returns the functions by which the operator's pages find people, and the names of the items that they show. */
export function createFinders({ contributors, buyers, campaigns, reports, webhooks }: FinderDeps) {
  const findAddresses: FindAddresses = async (userIds) => {
    const found = await contributors.store.listAddresses({ userIds: [...new Set(userIds)] })
    return new Map(found.map(({ userId, email }) => [userId, email]))
  }
  /** Returns the names of the targets of audit entries. Reads only the names that these entries need. */
  async function findNames(entries: readonly Entry[]): Promise<TargetNames> {
    const listTargets = (...kinds: string[]): string[] => [
      ...new Set(
        entries.filter(({ action }) => kinds.includes(firstOf(action.split('.', 1)))).map(({ target }) => target),
      ),
    ]
    const none = Promise.resolve([])
    const [people, applicationIds, traceIds] = [
      listTargets('contributor', 'payout', 'payout_request', 'correction'),
      listTargets('application'),
      listTargets('trace'),
    ]
    const reportIds = new Set(
      entries.flatMap(({ action, target, before, after }) =>
        action.startsWith('report.') ? [target, String((after ?? before)?.['duplicateOf'] ?? '')] : [],
      ),
    )
    reportIds.delete('')
    const findTitle = async (id: string): Promise<readonly (readonly [string, string])[]> => {
      const found = await reports.store.findReport({ id, maxDuplicates: 1 })
      return found ? [[id, (JSON.parse(found.report.body) as { content: { title: string } }).content.title]] : []
    }
    const [addresses, applicants, reasons, named, hooks, titles] = await Promise.all([
      people.length > 0 ? findAddresses(people) : new Map<string, string>(),
      applicationIds.length > 0 ? contributors.store.listApplicants({ applicationIds }) : none,
      traceIds.length > 0 ? buyers.store.listWithdrawalReasons({ ids: traceIds }) : none,
      listTargets('campaign').length > 0 ? campaigns.store.listCampaignNames({ ids: listTargets('campaign') }) : none,
      listTargets('webhook').length > 0 ? webhooks.store.listWebhooks() : none,
      Promise.all([...reportIds].map(findTitle)),
    ])
    return {
      people: addresses,
      applicants: new Map(applicants.map((applicant) => [applicant.applicationId, applicant])),
      withdrawalReasons: new Map(reasons.map(({ traceId, reason }) => [traceId, reason])),
      campaigns: new Map(named.map(({ id, name }) => [id, name])),
      webhooks: new Map(hooks.map(({ id, url }) => [id, url])),
      reports: new Map(titles.flat()),
    }
  }
  /** Returns the user whose verified address was entered, or null. */
  const findByAddress = async (entered: string): Promise<string | null> =>
    (await contributors.store.findUserIdByAddress({ address: entered.trim() })) ??
    contributors.store.findUserIdByAddress({ address: normalizeAddress(entered) })
  /** Returns the targets of entries about a subject: a person with their last application, or the item with this ID. */
  async function findTargets(subject: string): Promise<string[]> {
    const id = subject.includes('@') ? await findByAddress(subject) : subject
    const ids = id === null ? [] : [id]
    const last = await Promise.all(ids.map((ownerId) => contributors.store.findApplication({ ownerId })))
    return [...ids, ...last.flatMap((application) => (application ? [application.id] : []))]
  }
  const findName: FindName = async (id) => {
    const [applicant] = await contributors.store.listApplicants({ applicationIds: [id] })
    if (applicant) return applicant.companyName
    const found = await contributors.store.findContributor({ userId: id })
    return found && (found.email ?? found.companyName)
  }
  return { findAddresses, findNames, findByAddress, findTargets, findName }
}
