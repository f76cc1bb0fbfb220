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

/** Returns the section of feedback from the command line: untrusted text, escaped and with its own direction. */
export function feedbackSection({ list }: FeedbackDeps): AdminSection {
  return {
    id: 'feedback',
    title: 'Feedback',
    filters: [],
    async show({ prefix, cursor }) {
      const page = await list({ cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, 0)
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return table({
        caption: 'Newest first. Times are UTC.',
        empty: 'No feedback yet.',
        items: page.items,
        next: nextPage(prefix, 'feedback', {}, page.nextCursor),
        columns: [
          ['Message', ({ message }) => html`${message.split('\n').map((line) => html`<bdi>${line}</bdi><br />`)}`],
          [
            'From',
            ({ userId, email }) => html`<code>${userId}</code>${email ? html`<small>Reply to ${email}</small>` : null}`,
          ],
          [
            'Client',
            ({ cliVersion, platform, arch, command }) =>
              html`${[cliVersion, platform, arch].filter(Boolean).join(' ') || '-'}${command ? html`<small><code>${command}</code></small>` : null}`,
          ],
          ['Received', ({ receivedAt }) => time(receivedAt)],
        ],
      })
    },
    actions: {},
    notices: {},
  }
}
