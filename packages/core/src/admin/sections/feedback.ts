import { Failure } from '../../http/failures.ts'
import { html, type Html, messagesOf, notice } from '../../ui/html.ts'
import { adminFeedbackMessages } from '../../messages/admin/feedback.ts'
import type { AdminSection, FindAddresses, Handed, List } from '../contract.ts'
import {
  addressText,
  contributorLink,
  givenAddress,
  listTable,
  message as shared,
  nextPage,
  orDash,
  time,
} from '../pages.ts'

const message = messagesOf(adminFeedbackMessages)

interface Feedback {
  readonly id: string
  readonly userId: string
  readonly message: string
  readonly email: string | null
  readonly cliVersion: string | null
  readonly platform: string | null
  readonly arch: string | null
  readonly command: string | null
  readonly receivedAt: string
}

export interface FeedbackDeps {
  readonly list: Handed<{ cursor: string | undefined; limit: number }, List<Feedback>>
  readonly findAddresses: FindAddresses
}

/** Returns the section of feedback from the command line: untrusted text, escaped and with its own direction. */
export function feedbackSection({ list, findAddresses }: FeedbackDeps): AdminSection {
  return {
    id: 'feedback',
    filters: [],
    async show({ prefix, cursor }) {
      const page = await list({ cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, 0)
      if (page instanceof Failure) return notice('error', shared('admin.notLoaded'))
      const addresses = await findAddresses(page.items.map(({ userId }) => userId))
      return html`<p>${message('feedback.intro')}</p>
        ${listTable({
          caption: shared('admin.newestFirst'),
          empty: message('feedback.none'),
          items: page.items,
          next: nextPage(prefix, 'feedback', {}, page.nextCursor),
          columns: [
            [
              message('feedback.message'),
              ({ message: text }) =>
                html`<span class="sentence">${text.split('\n').map((line) => html`<bdi>${line}</bdi><br />`)}</span>`,
            ],
            [
              message('feedback.from'),
              ({ userId, email, message: text }) => {
                const known = addresses.get(userId)
                return html`${contributorLink(prefix, userId, known)}${
                  email === null || email === known ? null : html`<br />${givenAddress(email)}`
                }${replyLink(email ?? known, known, text)}`
              },
            ],
            [
              message('feedback.client'),
              ({ cliVersion, platform, arch, command }) =>
                html`${orDash(clientText(cliVersion, platform, arch))}${
                  command
                    ? html`<small>${message('feedback.command', { command: html`<code>${command}</code>` })}</small>`
                    : null
                }`,
            ],
            [message('feedback.received'), ({ receivedAt }) => time(receivedAt)],
          ],
        })}`
    },
    actions: {},
    notices: {},
  }
}

/** The platforms of Node under the names that people know. */
const platformNames: Readonly<Record<string, string>> = { darwin: 'macOS', linux: 'Linux', win32: 'Windows' }

/** Names the client that sent a message: `CLI 0.1.0, Linux arm64`. */
function clientText(version: string | null, platform: string | null, arch: string | null): Html | null {
  const system = [platform === null ? null : (platformNames[platform] ?? platform), arch].filter(Boolean).join(' ')
  if (!version) return system === '' ? null : html`${system}`
  return html`${message('feedback.cli', { version })}${system === '' ? null : html`, ${system}`}`
}

/** Renders the link that replies to a message, with the address where it is not the one that is `shown` beside it. */
function replyLink(address: string | null | undefined, shown: string | null | undefined, text: string): Html | null {
  if (address === null || address === undefined) return null
  const subject = encodeURIComponent(`Re: ${text.slice(0, 60)}`)
  const name = message('feedback.replyTo', { email: addressText(address) })
  return html`<br /><a
      class="button second small"
      href="mailto:${encodeURIComponent(address)}?subject=${subject}"
      ${address === shown ? html` aria-label="${message('feedback.replyTo', { email: address })}"` : null}
      >${address === shown ? message('feedback.reply') : name}</a
    >`
}
