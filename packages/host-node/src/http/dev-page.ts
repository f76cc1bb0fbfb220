import { devMessages, html, messagesOf, page, type PageFrame } from '@tributary/core/host'
import type { LayoutPage } from './page.ts'

const message = messagesOf(devMessages)

/** Returns a page of development, with links to the other development pages in its header. */
export function devPage(frame: Pick<PageFrame, 'title' | 'prefix' | 'here' | 'main'>): LayoutPage {
  const { prefix, here } = frame
  const link = (path: '/dev/accounts' | '/dev/mail', name: 'dev.accounts' | 'dev.mails') =>
    html`<a href="${prefix}${path}" ${path === here ? html` aria-current="page"` : null}>${message(name)}</a>`
  const nav = html`${link('/dev/accounts', 'dev.accounts')} ${link('/dev/mail', 'dev.mails')}`
  return { html: page({ ...frame, nav }) }
}
