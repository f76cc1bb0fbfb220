import { Failure } from '../../http/failures.ts'
import { html, notice } from '../../http/html.ts'
import type { AdminSection, FindAddresses, Handed, List } from '../contract.ts'
import { contributorLink, listTable, nextPage, orDash, time } from '../pages.ts'

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
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      const addresses = await findAddresses(page.items.map(({ userId }) => userId))
      return listTable({
        caption: 'Newest first. Times are UTC.',
        empty: 'No feedback yet.',
        items: page.items,
        next: nextPage(prefix, 'feedback', {}, page.nextCursor),
        columns: [
          ['Message', ({ message }) => html`${message.split('\n').map((line) => html`<bdi>${line}</bdi><br />`)}`],
          [
            'From',
            ({ userId, email, message }) => {
              const address = email ?? addresses.get(userId)
              const subject = encodeURIComponent(`Re: ${message.slice(0, 60)}`)
              return html`${contributorLink(prefix, userId, addresses.get(userId) ?? email)}${
                address === undefined
                  ? null
                  : html`<br /><a href="mailto:${encodeURIComponent(address)}?subject=${subject}"
                        >Reply to ${address}</a
                      >`
              }`
            },
          ],
          [
            'Client',
            ({ cliVersion, platform, arch, command }) =>
              html`${orDash([cliVersion, platform, arch].filter(Boolean).join(' '))}${command ? html`<small><code>${command}</code></small>` : null}`,
          ],
          ['Received', ({ receivedAt }) => time(receivedAt)],
        ],
      })
    },
    actions: {},
    notices: {},
  }
}
