import { Failure } from '../http/failures.ts'
import type * as z from 'zod'
import { html, type Html, mailUrl, messagesOf } from '../ui/html.ts'
import { adminFeedbackMessages } from '../messages/admin/feedback.ts'
import { FeedbackItem, FeedbackQuery } from './contract.ts'
import type { CapabilityAction, FindAddresses, FormSection, CapabilityHandler, List } from '../admin/contract.ts'
import { listSection } from '../ui/operator/list.ts'
import type { Column } from '../ui/table.ts'
import {
  addressText,
  contributorLink,
  filterField,
  renderUnverifiedAddress,
  message as shared,
  renderOrDash,
  status as tag,
  time,
} from '../ui/operator/pages.ts'

const message = messagesOf(adminFeedbackMessages)

type Feedback = z.output<typeof FeedbackItem>

export interface FeedbackDeps {
  readonly list: CapabilityHandler<z.output<typeof FeedbackQuery>, List<Feedback>>
  readonly findAddresses: FindAddresses
  readonly handle: CapabilityAction<{ id: string; handled: boolean }, unknown>
}

/**
 * Returns the section that lists feedback from the command line. Its text is untrusted, so it is escaped, and the
 * direction of each line is isolated by `<bdi>`.
 */
export function feedbackSection({ list, findAddresses, handle }: FeedbackDeps): FormSection<'feedback'> {
  const section = listSection({
    id: 'feedback',
    query: FeedbackQuery,
    item: FeedbackItem,
    load: list,
    filterQuery: (filter) => ({ handled: String(filter === 'handled') }),
    hint: message('feedback.searchHint'),
    empty: () => message('feedback.none'),
    async view({ items }: List<Feedback>, { prefix, filter }) {
      const addresses = await findAddresses(items.map(({ userId }) => userId))
      const columns: Column<Feedback>[] = [
        [
          message('feedback.message'),
          ({ message: text }) =>
            html`<span class="sentence">${text.split('\n').map((line) => html`<bdi>${line}</bdi><br />`)}</span>`,
        ],
        [
          message('feedback.from'),
          ({ userId, email }) => {
            const known = addresses.get(userId)
            return html`${contributorLink(prefix, userId, known)}${
              email === null || email === known ? null : html`<br />${renderUnverifiedAddress(email)}`
            }`
          },
        ],
        [
          message('feedback.client'),
          ({ cliVersion, platform, arch, command }) =>
            html`${renderOrDash(clientText(cliVersion, platform, arch))}${
              command
                ? html`<small>${message('feedback.command', { command: html`<code>${command}</code>` })}</small>`
                : null
            }`,
        ],
        [shared('admin.status'), ({ handledAt }) => tag(handledAt === null ? 'open' : 'handled')],
        [message('feedback.received'), ({ receivedAt }) => time(receivedAt), undefined, 'receivedAt'],
        [
          shared('admin.actions'),
          (feedback) => {
            const known = addresses.get(feedback.userId)
            return html`${handleForm(prefix, feedback, filter)}
            ${replyLink(feedback.email ?? known, known, feedback.message)}`
          },
          'act',
        ],
      ]
      return { above: html`<p>${message('feedback.intro')}</p>`, columns }
    },
  })
  return {
    id: 'feedback',
    filters: ['open', 'handled'],
    waitingFilter: 'open',
    ...section,
    actions: {
      async handle({ id, handled }, audit) {
        const result = await handle({ id, handled: handled === 'yes' }, audit)
        if (result instanceof Failure) return { done: result.code }
        return { done: handled === 'yes' ? 'handled' : 'reopened' }
      },
    },
    notices: {
      handled: { kind: 'done', text: () => message('feedback.handledDone') },
      reopened: { kind: 'done', text: () => message('feedback.reopenedDone') },
      not_found: { kind: 'error', text: () => message('feedback.notFound') },
    },
  }
}

/** Renders the button that marks a message as handled, or opens it again. */
function handleForm(prefix: string, { id, message: text, handledAt }: Feedback, filter: string | null): Html {
  const name = handledAt === null ? 'feedback.handle' : 'feedback.reopen'
  return html`<form method="post" action="${prefix}/admin/feedback/handle">
    <input type="hidden" name="id" value="${id}" /><input
      type="hidden"
      name="handled"
      value="${handledAt === null ? 'yes' : 'no'}"
    />${filterField(filter)}
    <button class="second small" aria-label="${message(`${name}One`, { text: text.slice(0, 60) })}">
      ${message(name)}
    </button>
  </form>`
}

/** The common names of Node's platforms. */
const platformNames: Readonly<Record<string, string>> = { darwin: 'macOS', linux: 'Linux', win32: 'Windows' }

/** Renders the client that sent a message, with the client's system on the next line: `CLI 0.1.0`, `Linux arm64`. */
function clientText(version: string | null, platform: string | null, arch: string | null): Html | null {
  const system = [platform === null ? null : (platformNames[platform] ?? platform), arch].filter(Boolean).join(' ')
  if (!version && system === '') return null
  return html`${version ? html`<span class="whole">${message('feedback.cli', { version })}</span>` : null}${
    system === '' ? null : html`<small class="whole">${system}</small>`
  }`
}

/**
 * Renders the link for a reply to a message. The text of the link contains the address unless the same address is
 * `shown` next to the link.
 */
function replyLink(address: string | null | undefined, shown: string | null | undefined, text: string): Html | null {
  if (address === null || address === undefined) return null
  const name = message('feedback.replyTo', { email: addressText(address) })
  return html`<a
    class="button second small"
    href="${mailUrl(address, { subject: `Re: ${text.slice(0, 60)}` })}"
    ${address === shown ? html` aria-label="${message('feedback.replyTo', { email: address })}"` : null}
    >${address === shown ? message('feedback.reply') : name}</a
  >`
}
