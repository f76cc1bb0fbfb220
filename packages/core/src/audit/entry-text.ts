import type * as z from 'zod'
import type { AuditItem } from './contract.ts'
import { countries, html, type Html, messagesOf, money, number } from '../ui/html.ts'
import { auditMessages } from '../messages/admin/audit.ts'
import { shortId } from '../ids.ts'
import { addressText, contributorLink, renderOrDash, sectionPath, translateValue } from '../ui/operator/pages.ts'

const message = messagesOf(auditMessages)

export type Entry = z.output<typeof AuditItem>

/** The names of the targets of entries, by their ids: people, campaigns, webhooks. */
export interface TargetNames {
  /** E-mail addresses by user ID. */
  readonly people: ReadonlyMap<string, string>
  /** The applicants, by the id of their application. */
  readonly applicants: ReadonlyMap<
    string,
    { readonly userId: string; readonly companyName: string; readonly reviewReason: string | null }
  >
  /** The reasons of withdrawals, by the id of the trace. */
  readonly withdrawalReasons: ReadonlyMap<string, string>
  readonly campaigns: ReadonlyMap<string, string>
  readonly webhooks: ReadonlyMap<string, string>
  /** The titles of reports. */
  readonly reports: ReadonlyMap<string, string>
}

type Value = string | number | boolean | null

/** Returns the value of a field after the action, or before it when the action deleted the target. */
const readField = ({ before, after }: Entry, name: string): Value => after?.[name] ?? before?.[name] ?? null
const readText = (entry: Entry, name: string): string | null => {
  const value = readField(entry, name)
  return typeof value === 'string' ? value : null
}
const readNumber = (entry: Entry, name: string): number => Number(readField(entry, name) ?? 0)

/** Returns a sentence about the action of an operator, with links to its targets. */
export function describeEntry(prefix: string, entry: Entry, names: TargetNames): Html {
  const { action, actor, target, before, after } = entry
  const operator = html`<strong><bdi>${actor}</bdi></strong>`
  const link = (section: string, item: string | null, text: Html | string): Html =>
    html`<a href="${prefix}${sectionPath(section, item)}"><bdi>${text}</bdi></a>`
  const who = (): Html => contributorLink(prefix, target, names.people.get(target))
  const passkey = (): Html => link('keys', null, readText(entry, 'label') ?? '')
  const report = (id: string): Html => {
    const title = names.reports.get(id)
    const short = html`<code title="${id}">${shortId(id)}</code>`
    if (title === undefined) return message('audit.report', { report: link('reports', id, short) })
    return html`${message('audit.report', { report: link('reports', id, title) })} (${short})`
  }
  const status = readText(entry, 'status')
  const isStatusAlone = Object.keys(after ?? {}).every((name) => name === 'status' || before?.[name] === after?.[name])
  switch (action) {
    case 'application.review': {
      const applicant = names.applicants.get(target)
      const name = applicant
        ? link('contributors', applicant.userId, applicant.companyName)
        : message('audit.anApplicant')
      return message(status === 'approved' ? 'audit.approved' : 'audit.rejected', { operator, who: name })
    }
    case 'contributor.pause':
      return message(after?.['paused'] === true ? 'audit.paused' : 'audit.resumed', { operator, who: who() })
    case 'contributor.sign_out':
      return message('audit.personSignedOut', { operator, count: readNumber(entry, 'ended'), who: who() })
    case 'waitlist.notify':
      return message('audit.notified', { operator, count: readNumber(entry, 'notified'), country: countries([target]) })
    case 'waitlist.remove': {
      const country = readText(entry, 'country')
      return country === null
        ? message('audit.removedAnywhere', { operator })
        : message('audit.removed', { operator, country: countries([country]) })
    }
    case 'job.retry':
      return message('audit.retried', { operator, job: link('jobs', null, message('audit.job', { id: target })) })
    case 'sample.read':
      return message('audit.sampleRead', { operator, id: html`<code>${shortId(target)}</code>` })
    case 'dataset.download':
      return target === 'for_sale'
        ? message('audit.datasetDownloaded', { operator })
        : message('audit.saleDownloaded', { operator, sale: link('sales', target, message('audit.aSale')) })
    case 'contributor.read':
      return message('audit.contributorRead', { operator, who: who() })
    case 'waitlist.read':
      return target === 'all'
        ? message('audit.waitlistRead', { operator })
        : message('audit.countryRead', { operator, country: countries([target]) })
    case 'waitlist.download':
      return target === 'all'
        ? message('audit.waitlistDownloaded', { operator })
        : message('audit.countryDownloaded', { operator, country: countries([target]) })
    case 'sale.record':
      return message('audit.sold', {
        operator,
        count: readNumber(entry, 'traces'),
        buyer: link('sales', target, readText(entry, 'buyer') ?? ''),
        amount: money(readNumber(entry, 'usd')),
      })
    case 'buyer.create':
      return message('audit.buyerCreated', {
        operator,
        name: link('buyers', null, readText(entry, 'name') ?? ''),
      })
    case 'buyer.set_email':
      return message('audit.buyerAddressed', { operator, id: link('buyers', null, shortId(target)) })
    case 'buyer.rotate_token':
    case 'buyer.revoke_token':
      return message(action === 'buyer.rotate_token' ? 'audit.buyerRotated' : 'audit.buyerRevoked', {
        operator,
        id: link('buyers', null, shortId(target)),
      })
    case 'trace.withdraw':
      return message('audit.withdrawn', {
        operator,
        id: html`<code>${shortId(target)}</code>`,
        count: readNumber(entry, 'removals'),
      })
    case 'payout.record':
      return message('audit.paidOut', { operator, amount: money(readNumber(entry, 'usd')), who: who() })
    case 'payout_request.reject':
      return message('audit.requestRejected', { operator, amount: money(readNumber(entry, 'usd')), who: who() })
    case 'correction.record': {
      const usd = readNumber(entry, 'usd')
      return message(usd < 0 ? 'audit.takenOff' : 'audit.added', { operator, amount: money(Math.abs(usd)), who: who() })
    }
    case 'campaign.create':
    case 'campaign.update': {
      const name = names.campaigns.get(target) ?? readText(entry, 'name') ?? message('audit.aCampaign')
      const key =
        action === 'campaign.create'
          ? 'audit.campaignCreated'
          : !isStatusAlone
            ? 'audit.campaignChanged'
            : status === 'paused'
              ? 'audit.campaignPaused'
              : 'audit.campaignResumed'
      return message(key, { operator, name: link('campaigns', target, name) })
    }
    case 'campaign.rotate_sponsor_link':
    case 'campaign.revoke_sponsor_link':
      return message(
        action === 'campaign.rotate_sponsor_link' ? 'audit.sponsorLinkRotated' : 'audit.sponsorLinkRevoked',
        { operator, name: link('campaigns', target, names.campaigns.get(target) ?? message('audit.aCampaign')) },
      )
    case 'list.download':
      return message('audit.listDownloaded', { operator, section: link(target, null, target) })
    case 'feedback.handle':
      return message(after?.['handled'] === true ? 'audit.feedbackHandled' : 'audit.feedbackReopened', {
        operator,
        feedback: html`<a href="${prefix}/admin/feedback?q=${target}"><code>${shortId(target)}</code></a>`,
      })
    case 'campaign.correct':
      return message('audit.campaignCorrected', {
        operator,
        name: link('campaigns', target, names.campaigns.get(target) ?? message('audit.aCampaign')),
        from: money(Number(before?.['spentUsd'] ?? 0)),
        to: money(Number(after?.['spentUsd'] ?? 0)),
      })
    case 'report.update':
      return message('audit.reportStatus', {
        operator,
        report: report(target),
        status: translateValue(status ?? ''),
      })
    case 'report.merge':
    case 'report.separate': {
      const kept = String(after?.['duplicateOf'] ?? before?.['duplicateOf'] ?? '')
      return message(action === 'report.merge' ? 'audit.reportMerged' : 'audit.reportSeparated', {
        operator,
        report: report(target),
        other: report(kept),
      })
    }
    case 'webhook.create':
    case 'webhook.update':
    case 'webhook.delete':
    case 'webhook.rotate_secret':
    case 'webhook.test':
    case 'webhook.redeliver': {
      const known = names.webhooks.get(target)
      const address = known ?? readText(entry, 'url')
      const text = address === null ? message('audit.aWebhook') : addressText(address)
      const url = known === undefined ? text : link('webhooks', target, text)
      return message(`audit.${webhookKey(entry, isStatusAlone)}`, { operator, url })
    }
    case 'outbox.resend':
    case 'outbox.delete':
      return message(action === 'outbox.resend' ? 'audit.resent' : 'audit.deliveriesDeleted', {
        operator,
        deliveries: link('outbox', null, message('audit.deliveries', { count: readNumber(entry, 'entries') })),
      })
    case 'operator.sign_in':
      return message('audit.signedIn', { operator })
    case 'operator.sign_out':
      return message('audit.signedOut', { operator })
    case 'operator.add_passkey':
      return message('audit.passkeyAdded', { operator, passkey: passkey() })
    case 'operator.use_passkey':
      return message('audit.passkeyUsed', { operator, passkey: passkey() })
    case 'operator.remove_passkey':
      return message('audit.passkeyRemoved', { operator, passkey: passkey(), who: html`<bdi>${target}</bdi>` })
  }
}

const webhookKeys = {
  'webhook.create': 'webhookCreated',
  'webhook.delete': 'webhookDeleted',
  'webhook.rotate_secret': 'webhookRotated',
  'webhook.test': 'webhookTested',
  'webhook.redeliver': 'webhookRedelivered',
} as const

function webhookKey({ action, after }: Entry, isStatusAlone: boolean) {
  if (action !== 'webhook.update') return webhookKeys[action as keyof typeof webhookKeys]
  if (!isStatusAlone) return 'webhookChanged'
  return after?.['status'] === 'enabled' ? 'webhookEnabled' : 'webhookDisabled'
}

/**
 * Renders the details that the sentence leaves out: the changed fields, the address and the request. They are
 * collapsed.
 */
export function listDetails({ action, target, before, after, address, requestId }: Entry, names: TargetNames): Html {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (field) => Object.hasOwn(auditMessages, `audit.field.${field}`) && before?.[field] !== after?.[field],
  )
  const changes = fields.map((field) => {
    const [was, is] = [showValue(field, before?.[field]), showValue(field, after?.[field])]
    const text =
      before === null
        ? is
        : after === null
          ? message('audit.deleted', { before: was })
          : message('audit.change', { before: was, after: is })
    return [message(`audit.field.${field as 'status'}`), text] as const
  })
  // The audit entry has no text that may name a person, so the reason is read from the application or the trace.
  const isRejection = action === 'application.review' && after?.['status'] === 'rejected'
  const isWithdrawal = action === 'trace.withdraw'
  const reason = isRejection
    ? names.applicants.get(target)?.reviewReason
    : isWithdrawal
      ? names.withdrawalReasons.get(target)
      : null
  const isAboutTrace = isWithdrawal || action === 'sample.read'
  const rows = [
    ...(isAboutTrace ? [[message('audit.traceId'), html`<code>${target}</code>`] as const] : []),
    ...changes,
    ...(reason ? [[message('audit.reason'), html`<bdi>${reason}</bdi>`] as const] : []),
    [message('audit.address'), renderOrDash(address)] as const,
    [message('audit.requestId'), html`<code>${requestId}</code>`] as const,
  ]
  return html`<details>
    <summary>${message('audit.show')}</summary>
    <dl>
      ${rows.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
  </details>`
}

/** Renders a recorded value in readable form. */
function showValue(field: string, value: Value | undefined): Html {
  if (field === 'events' && value === null) return message('audit.all')
  if (value === null || value === undefined || value === '') return message('audit.none')
  if (typeof value === 'boolean') return message(value ? 'audit.yes' : 'audit.no')
  if (typeof value === 'number') return /^usd$|Usd$/.test(field) ? money(value) : number(value)
  return field === 'status' ? translateValue(value) : html`<bdi>${value}</bdi>`
}
