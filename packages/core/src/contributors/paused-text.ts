import { html, type Html, mailLink, messagesOf } from '../ui/html.ts'
import { accountMessages } from '../messages/account.ts'
import type { PausedBy } from './policy/rules.ts'

const message = messagesOf(accountMessages)

/** Renders a text that says that uploads are paused, who paused them, and who can resume them. */
export function pausedText(by: NonNullable<PausedBy>, supportEmail: string | undefined): Html {
  if (by === 'person')
    return html`<span class="tag bad">${message('account.pausedTag')}</span> ${message('account.pausedText')}`
  return html`<span class="tag bad">${message('account.operatorPausedTag')}</span> ${message('account.operatorPaused')}
    ${supportEmail === undefined ? null : message('account.operatorSupport', { address: mailLink(supportEmail) })}`
}
