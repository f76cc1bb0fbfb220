import { Failure } from '../../http/failures.ts'
import { html, messagesOf, notice } from '../../http/html.ts'
import { adminFeedbackMessages } from '../../messages/admin/feedback.ts'
import type { AdminSection, FindAddresses, Handed, List } from '../contract.ts'
import { addressText, contributorLink, listTable, message as shared, nextPage, orDash, time } from '../pages.ts'

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
      return listTable({
        caption: shared('admin.newestFirst'),
        empty: message('feedback.none'),
        items: page.items,
        next: nextPage(prefix, 'feedback', {}, page.nextCursor),
        columns: [
          [
            message('feedback.message'),
            ({ message: text }) => html`${text.split('\n').map((line) => html`<bdi>${line}</bdi><br />`)}`,
          ],
          [
            message('feedback.from'),
            ({ userId, email, message: text }) => {
              const address = email ?? addresses.get(userId)
              const subject = encodeURIComponent(`Re: ${text.slice(0, 60)}`)
              return html`${contributorLink(prefix, userId, addresses.get(userId) ?? email)}${
                address === undefined
                  ? null
                  : html`<br /><a href="mailto:${encodeURIComponent(address)}?subject=${subject}"
                        >${message('feedback.reply', { email: addressText(address) })}</a
                      >`
              }`
            },
          ],
          [
            message('feedback.client'),
            ({ cliVersion, platform, arch, command }) =>
              html`${orDash([cliVersion, platform, arch].filter(Boolean).join(' '))}${command ? html`<small><code>${command}</code></small>` : null}`,
          ],
          [message('feedback.received'), ({ receivedAt }) => time(receivedAt)],
        ],
      })
    },
    actions: {},
    notices: {},
  }
}
