import { devMessages, html, messagesOf, time, type Html } from '@tributary/core/host'
import type { Mailbox, ReceivedMail } from '../mail.ts'
import { devPage } from './dev-page.ts'
import { isLocal } from './metrics-access.ts'
import { notFoundPage, type AnswerHostPage, type HostPages, type LayoutPage } from './page.ts'

const message = messagesOf(devMessages)

/** Renders URLs as links. */
function renderLinks(text: string): Html {
  const parts = text.split(/(https?:\/\/[^\s<>"]+)/)
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : part))}`
}

const renderMail = ({ to, subject, text, at }: ReceivedMail): Html =>
  html`<article class="turn">
    <h2>${subject}</h2>
    <p class="hint">${message('dev.mailTo', { address: html`<bdi>${to}</bdi>`, time: time(at) })}</p>
    <div class="text">${renderLinks(text)}</div>
  </article>`

/**
 * Returns the pages of the development mailbox. The mailbox contains sign-in codes, so it is shown only on this
 * machine, under a loopback host name and not through a proxy. `prefix` is the prefix of the service's links.
 */
export function mailboxPages(mailbox: Mailbox, prefix = ''): HostPages {
  const onLoopback =
    (page: AnswerHostPage): HostPages[string] =>
    (request) =>
      isLocal(request) ? page(request) : notFoundPage
  return {
    '/dev/mail.json': onLoopback(() => ({ type: 'application/json', body: JSON.stringify(mailbox.mails) })),
    '/dev/mail': onLoopback(({ query }) =>
      mailPage(mailbox.mails, prefix, query.find(([name]) => name === 'next')?.[1]),
    ),
  }
}

/** Renders the mails. The sign-in page passes `next`; this page then links back to the sign-in page. */
function mailPage(mails: readonly ReceivedMail[], prefix: string, next: string | undefined): LayoutPage {
  const link = html`<a href="${prefix}/dev/mail.json">${message('dev.mailsJson')}</a>`
  const toCode = `${prefix}/sign-in?step=code&next=${encodeURIComponent(next ?? '')}`
  const back = next === undefined ? null : html`<p><a href="${toCode}">${message('dev.toCode')}</a></p>`
  const none = html`<div class="empty">
    <p><strong>${message('dev.noMails')}</strong></p>
    <p>${message('dev.noMailsText')}</p>
  </div>`
  return devPage({
    title: message('dev.mails'),
    prefix,
    here: '/dev/mail',
    main: html`<p>${message('dev.mailsIntro', { link })}</p>
      ${back} ${mails.length > 0 ? mails.map(renderMail) : none}`,
  })
}
