import { Failure } from '../../http/failures.ts'
import { html, notice } from '../../http/html.ts'
import type { AdminSection, Handed, List } from '../contract.ts'
import { nextPage, table, time } from '../pages.ts'

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
}

/** What people wrote from the command line. A stranger's text: shown escaped, its direction its own. */
export function feedbackSection({ list }: FeedbackDeps): AdminSection {
  return {
    id: 'feedback',
    title: 'Feedback',
    filters: [],
    async show({ prefix, cursor }) {
      const found = await list({ cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, 0)
      if (found instanceof Failure) return notice('error', 'This list cannot be shown.')
      return table({
        caption: 'Newest first. Times are UTC.',
        empty: 'Nobody wrote yet.',
        items: found.items,
        next: nextPage(prefix, 'feedback', null, found.nextCursor),
        columns: [
          ['Message', ({ message }) => html`${message.split('\n').map((one) => html`<bdi>${one}</bdi><br />`)}`],
          [
            'From',
            ({ userId, email }) =>
              html`<code>${userId}</code>${email ? html`<small>answer to ${email}</small>` : null}`,
          ],
          [
            'Client',
            ({ cliVersion, platform, arch, command }) =>
              html`${[cliVersion, platform, arch].filter(Boolean).join(' ') || '-'}${command ? html`<small><code>${command}</code></small>` : null}`,
          ],
          ['Sent', ({ receivedAt }) => time(receivedAt)],
        ],
      })
    },
    actions: {},
    notices: {},
  }
}
