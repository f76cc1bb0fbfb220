import type * as z from 'zod'
import { Failure } from '../http/failures.ts'
import { html, type Html, messagesOf, notice } from '../ui/html.ts'
import { dayMs, timestamp } from '../ids.ts'
import { outboxMessages } from '../messages/admin/outbox.ts'
import { webhooksMessages } from '../messages/admin/webhooks.ts'
import { OutboxItem, OutboxQuery } from './contract.ts'
import { retentionMs, stoppedReason } from './rules.ts'
import { queueTimes } from '../queue/times.ts'
import { channels, type UndeliveredStatus } from './store.ts'
import type { Column } from '../ui/table.ts'
import type {
  CapabilityAction,
  FormSection,
  CapabilityHandler,
  ItemPage,
  List,
  SectionListParams,
} from '../admin/contract.ts'
import { listSection } from '../ui/operator/list.ts'
import {
  addressText,
  filterField,
  listPath,
  message as shared,
  noFilter,
  questionPage,
  sectionPath,
  status as tag,
  time,
} from '../ui/operator/pages.ts'

const message = messagesOf(outboxMessages)
const eventMessage = messagesOf(webhooksMessages)

const statuses = ['dead', 'unknown', 'waiting', 'sending', 'sent'] as const

type Entry = z.output<typeof OutboxItem>

interface Webhook {
  readonly url: string
  readonly isEnabled: boolean
}

interface Change<Chosen extends UndeliveredStatus> {
  readonly status: Chosen
  readonly ids: string[] | undefined
  readonly until: string | undefined
}

export interface OutboxSectionDeps {
  readonly list: CapabilityHandler<z.output<typeof OutboxQuery>, List<Entry>>
  /** Counts the entries of each status except `sent`. */
  readonly count: () => Promise<Readonly<Record<string, number>>>
  /** Returns each webhook by its id. */
  readonly listWebhooks: () => Promise<ReadonlyMap<string, Webhook>>
  readonly resend: CapabilityAction<Change<'dead'>, { readonly resent: number }>
  readonly remove: CapabilityAction<Change<UndeliveredStatus>, { readonly deleted: number }>
}

/** Returns the section of the outbox: mails, telemetry, network impressions, events and webhooks. */
export function outboxSection({ list, count, listWebhooks, resend, remove }: OutboxSectionDeps): FormSection<'outbox'> {
  return {
    id: 'outbox',
    filters: statuses,
    defaultFilter: 'dead',
    countFilters: count,
    ...listSection({
      id: 'outbox',
      query: OutboxQuery,
      item: OutboxItem,
      load: list,
      filterQuery: (status) => ({ status }),
      isFolded: true,
      hint: message('admin.outbox.searchHint'),
      empty: () => message('admin.outbox.empty'),
      emptyFilters: { dead: message('admin.outbox.emptyDead'), unknown: message('admin.outbox.emptyUnknown') },
      async view(page: List<Entry>, shown) {
        const webhooks = await listWebhooks()
        return (
          askToDelete(shown, page.items, webhooks) ?? {
            above: introduction(shown, page, webhooks),
            fields: [
              {
                name: 'channel',
                label: message('admin.outbox.delivery'),
                options: channels.map((channel) => [channel, message(`admin.outbox.${channel}`)]),
              },
            ],
            columns: deliveryColumns(shown, page.items, webhooks),
          }
        )
      },
    }),
    actions: {
      async resend({ id, until }, audit) {
        const result = await resend({ status: 'dead', ids: id === undefined ? undefined : [id], until }, audit)
        if (result instanceof Failure) return { done: result.code }
        return result.resent === 0 ? { done: 'not_resent' } : { done: 'resent', counts: [result.resent] }
      },
      async delete({ status, id, until }, audit) {
        const result = await remove({ status, ids: id === undefined ? undefined : [id], until }, audit)
        if (result instanceof Failure) return { done: result.code }
        return result.deleted === 0 ? { done: 'not_deleted' } : { done: 'deleted', counts: [result.deleted] }
      },
    },
    notices: {
      resent: { kind: 'done', text: ([count = 0]) => message('admin.outbox.resent', { count }) },
      not_resent: { kind: 'error', text: () => message('admin.outbox.notResent') },
      deleted: { kind: 'done', text: ([count = 0]) => message('admin.outbox.removed', { count }) },
      not_deleted: { kind: 'error', text: () => message('admin.outbox.notRemoved') },
    },
  }
}

const isUndelivered = (status: string | null): status is UndeliveredStatus => status === 'dead' || status === 'unknown'

/** Describes the list and what happens next to its deliveries. For failed deliveries, adds buttons for all of them. */
function introduction(shown: SectionListParams, page: List<Entry>, webhooks: Webhooks): Html {
  const { filter } = shown
  const hours = Math.round(queueTimes.outbox.retryMs.reduce((sum, delay) => sum + delay, 0) / (60 * 60 * 1000))
  const retention = message('admin.outbox.retention', { days: retentionMs / dayMs })
  const how = html`<p>${message('admin.outbox.intro')}</p>
    <details>
      <summary>${message('admin.outbox.how')}</summary>
      <p>${message('admin.outbox.attempted', { hours })} ${message('admin.outbox.deadHelp')} ${retention}</p>
    </details>`
  if (!isUndelivered(filter)) return how
  const canSendSome = page.nextCursor !== null || page.items.some(({ canResend }) => canResend)
  const help =
    filter === 'unknown' ? message('admin.outbox.unknownHelp') : canSendSome ? message('admin.outbox.resendHelp') : null
  const blocked = page.items.filter((entry) => isBlocked(entry, webhooks)).map(({ recipient }) => recipient)
  const links = [...new Set(blocked)].map((id) => webhookLink(shown.prefix, id, webhooks))
  return html`${page.items.length === 0 || help === null ? null : html`<p>${help}</p>`}
  ${
    links.length === 0
      ? null
      : notice(
          'info',
          message('admin.outbox.blocked', {
            count: blocked.length,
            webhooks: html`${links.map((link, index) => html`${index > 0 ? ', ' : null}${link}`)}`,
          }),
        )
  }
  ${bulkActions(shown, page)} ${how}`
}

/** Renders the buttons that send or delete all deliveries of the filter, if there are any. */
function bulkActions({ prefix, filter, cursor, counts, now }: SectionListParams, page: List<Entry>): Html | null {
  if (!isUndelivered(filter)) return null
  const count = counts[filter] ?? 0
  if (count === 0) return null
  const sendable = page.items.filter(({ canResend }) => canResend).length
  // Only a list with a single page shows how many deliveries can be sent again.
  const isWhole = cursor === null && page.nextCursor === null
  const resendAll = isWhole
    ? message('admin.outbox.resendAll', { count: sendable })
    : message('admin.outbox.resendAllPages')
  const confirm = listPath(prefix, 'outbox', { filter, confirm: 'all', until: timestamp(now) })
  return html`<div class="row">
    ${
      filter === 'dead' && (sendable > 0 || !isWhole)
        ? html`<form method="post" action="${prefix}/admin/outbox/resend">
            <input type="hidden" name="status" value="dead" />
            <input type="hidden" name="until" value="${timestamp(now)}" />${filterField(filter)}
            <button class="second small">${resendAll}</button>
          </form>`
        : null
    }
    <a class="button danger small" href="${confirm}">${message('admin.outbox.deleteAll', { count })}</a>
  </div>`
}

type Webhooks = ReadonlyMap<string, Webhook>

/** Returns whether a delivery waits for a webhook that is disabled or deleted. */
const isBlocked = ({ channel, status, recipient }: Entry, webhooks: Webhooks): boolean =>
  channel === 'webhook' && status === 'dead' && webhooks.get(recipient)?.isEnabled !== true

function deliveryColumns(shown: SectionListParams, items: readonly Entry[], webhooks: Webhooks): Column<Entry>[] {
  const { prefix } = shown
  const actions: Column<Entry> = [shared('admin.actions'), (entry) => entryActions(shown, entry), 'act']
  return [
    [
      message('admin.outbox.delivery'),
      ({ id, channel, subject, lastError }) =>
        html`${
            subject === ''
              ? message(`admin.outbox.${channel}`)
              : html`<bdi>${subject}</bdi><small>${message(`admin.outbox.${channel}`)}${eventText(subject)}</small>`
          }${
            lastError === null
              ? null
              : html`<small>${message('admin.outbox.reason', { error: html`<bdi>${lastError}</bdi>` })}</small>`
          }<small>${message('admin.outbox.id', { id: html`<code>${id}</code>` })}</small>`,
    ],
    [message('admin.outbox.to'), (entry) => showRecipient(prefix, entry, webhooks), undefined, 'recipient'],
    [shared('admin.status'), ({ status }) => tag(status)],
    [
      message('admin.outbox.created'),
      ({ createdAt, requestId }) =>
        html`${time(createdAt)}${
          requestId === null
            ? null
            : html`<small class="whole"
                >${message('admin.outbox.request', { id: html`<code>${requestId}</code>` })}</small
              >`
        }`,
      undefined,
      'createdAt',
    ],
    [message('admin.outbox.progress'), showProgress],
    ...(items.some(({ status }) => isUndelivered(status)) ? [actions] : []),
  ]
}

/**
 * Describes the progress of a delivery: the number and time of the next attempt, the time of the last attempt, or the
 * time at which a disabled webhook stopped the delivery.
 */
function showProgress({ status, attempts, lastError, dueAt, finishedAt }: Entry): Html {
  if (status === 'sending') return message('admin.outbox.now')
  if (finishedAt === null)
    return attempts === 0
      ? message('admin.outbox.first')
      : message('admin.outbox.retry', { number: attempts + 1, time: time(dueAt) })
  const ended = status === 'sent' ? 'sentAt' : lastError?.endsWith(stoppedReason) ? 'stopped' : 'lastAttempt'
  return html`${message(`admin.outbox.${ended}`, { time: time(finishedAt) })}${
    attempts > (ended === 'stopped' ? 0 : 1)
      ? html`<small>${message('admin.outbox.attempts', { count: attempts })}</small>`
      : null
  }`
}

/** Describes the meaning of an event. Returns nothing for the subject of a mail. */
function eventText(subject: string): Html | null {
  const key = `webhooks.events.${subject}`
  return Object.hasOwn(webhooksMessages, key) ? html`: ${eventMessage(key as 'webhooks.events.job.completed')}` : null
}

function showRecipient(prefix: string, { channel, recipient }: Entry, webhooks: Webhooks): Html {
  if (channel === 'event') return message('admin.outbox.theApp')
  if (channel !== 'webhook') return recipient === '' ? html`–` : addressText(recipient)
  return webhookLink(prefix, recipient, webhooks)
}

function webhookLink(prefix: string, id: string, webhooks: Webhooks): Html {
  const webhook = webhooks.get(id)
  return webhook === undefined
    ? message('admin.outbox.deletedWebhook')
    : html`<a href="${prefix}${sectionPath('webhooks', id)}">${addressText(webhook.url)}</a>`
}

const showName = ({ channel, subject }: Entry): Html =>
  subject === '' ? message(`admin.outbox.${channel}`) : html`<bdi>${subject}</bdi>`

/** Renders the actions of an operator on a delivery that is not tried again. */
function entryActions({ prefix, filter, cursor }: SectionListParams, entry: Entry): Html | null {
  const { id, channel, status, subject, canResend } = entry
  if (!isUndelivered(status)) return null
  const delivery = subject || message(`admin.outbox.${channel}`)
  return html`${
      canResend
        ? html`<form method="post" action="${prefix}/admin/outbox/resend">
            <input type="hidden" name="status" value="dead" />
            <input type="hidden" name="id" value="${id}" />${filterField(filter)}
            <button class="second small" aria-label="${message('admin.outbox.resendOne', { delivery })}">
              ${message('admin.outbox.resend')}
            </button>
          </form>`
        : null
    }
    <a
      href="${listPath(prefix, 'outbox', { filter, cursor, confirm: id })}"
      aria-label="${message('admin.outbox.deleteOne', { delivery })}"
      >${message('admin.outbox.delete')}</a
    >`
}

/**
 * Describes the deliveries that are deleted. If all of them are listed, the text also names the kind and the recipient
 * that they have in common.
 */
function lostText(
  items: readonly Entry[],
  { prefix, count }: { readonly prefix: string; readonly count: number },
  webhooks: Webhooks,
): Html {
  const [first, ...others] = items
  const isSame = (name: 'channel' | 'recipient'): boolean => others.every((one) => one[name] === first?.[name])
  if (!first || items.length !== count) return message('admin.outbox.lostAll', { count })
  const recipient = isSame('channel') && isSame('recipient') ? showRecipient(prefix, first, webhooks) : null
  if (count === 1)
    return html`${message('admin.outbox.lostOnly')} ${recipient && message('admin.outbox.lostTo', { recipient })}`
  if (!isSame('channel') || (first.channel !== 'mail' && first.channel !== 'webhook'))
    return message('admin.outbox.lostAll', { count })
  const key = first.channel === 'mail' ? 'admin.outbox.lostMails' : 'admin.outbox.lostWebhooks'
  return recipient ? message(`${key}To`, { count, recipient }) : message(key, { count })
}

/**
 * Renders the confirmation for deleting deliveries: all deliveries of the filter, or the delivery that the query names.
 * Returns null if the query asks for neither.
 */
function askToDelete(
  { prefix, filter, cursor, counts, query }: SectionListParams,
  items: readonly Entry[],
  webhooks: Webhooks,
): ItemPage | null {
  const { confirm, until } = query
  const entry = items.find(({ id }) => id === confirm)
  const status = entry?.status ?? filter
  const count = counts[status ?? ''] ?? 0
  if (!isUndelivered(status) || (!entry && (confirm !== 'all' || count === 0))) return null
  return questionPage({
    title: entry
      ? message('admin.outbox.askOne')
      : message(status === 'dead' ? 'admin.outbox.askAll' : 'admin.outbox.askUnknown', { count }),
    effect: html`<p>
      ${
        entry
          ? message('admin.outbox.lost', {
              delivery: showName(entry),
              recipient: showRecipient(prefix, entry, webhooks),
            })
          : html`${lostText(items, { prefix, count }, webhooks)} ${message('admin.outbox.lostLater')}`
      }
    </p>`,
    action: `${prefix}/admin/outbox/delete`,
    fields: { status, filter: filter ?? noFilter, ...(entry ? { id: entry.id } : { until }) },
    button: entry ? message('admin.outbox.confirmOne') : message('admin.outbox.confirmAll', { count }),
    back: listPath(prefix, 'outbox', { filter, cursor }),
  })
}
