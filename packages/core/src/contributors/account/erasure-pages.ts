import { dateOfDay, timeOfUuid, timestamp, utcDay } from '../../ids.ts'
import { accountMessages } from '../../messages/account.ts'
import {
  balanceAmount,
  breakable,
  copyable,
  html,
  type Html,
  mailLink,
  messagesOf,
  notice,
  number,
  page,
  time,
  timeOfDay,
} from '../../ui/html.ts'
import { table } from '../../ui/table.ts'
import type { Frame } from './pages.ts'

const message = messagesOf(accountMessages)

export interface EraseView extends Frame {
  /** The amount in micro-dollars that was earned and not paid out, rounded down to whole cents. */
  readonly unpaid: number
  readonly sold: Sold
  /** Whether the form was sent without the box that accepts the loss of the balance. */
  readonly isUnticked: boolean
  readonly supportEmail: string | undefined
}

/** Returns the page that asks to confirm the deletion of an account. */
export function erasePage({ prefix, email, unpaid, sold, isUnticked, supportEmail }: EraseView): string {
  const amount = html`<strong>${balanceAmount(unpaid)}</strong>`
  const main = html`<p>
      ${email ? message('erase.intro', { email: html`<strong>${email}</strong>` }) : message('erase.introWithout')}
    </p>
    <ul>
      <li>${message('erase.traces')}</li>
      <li>${message('erase.application')}</li>
      <li>${message('erase.devices')}</li>
      ${unpaid > 0 ? html`<li>${message('erase.balance', { amount })}</li>` : null}
    </ul>
    ${unpaid > 0 && supportEmail ? html`<p>${message('erase.askPayout', { address: mailLink(supportEmail) })}</p>` : null}
    <p>
      ${sold.buyers > 0 ? message('erase.notifiedBuyers', { count: sold.buyers, traces: number(sold.traces) }) : null}
      ${message('erase.sold', { link: html`<a href="${prefix}/account#export">${message('erase.exportFirst')}</a>` })}
    </p>
    <form method="post" action="${prefix}/account">
      <input type="hidden" name="confirmed" value="yes" />
      ${unpaid > 0 ? lossBox(amount, isUnticked) : null}
      <p class="actions">
        <button name="action" value="erase" class="danger final">${message('erase.confirm')}</button>
        <a href="${prefix}/account">${message('erase.cancel')}</a>
      </p>
    </form>`
  return page({
    title: message('erase.title'),
    isInvalid: isUnticked,
    here: '/account',
    prefix,
    email,
    signedIn: true,
    main,
  })
}

function lossBox(amount: Html, isUnticked: boolean): Html {
  return html`<p class="field check">
    <label for="acceptLoss"
      ><input
        id="acceptLoss"
        name="acceptLoss"
        type="checkbox"
        value="yes"
        required${isUnticked ? html` aria-invalid="true" aria-describedby="acceptLoss-error" autofocus` : null}
      /><span>${message('erase.acceptLoss', { amount })}</span></label
    >
    ${isUnticked ? html`<span class="error" id="acceptLoss-error">${message('erase.acceptLossError')}</span>` : null}
  </p>`
}

/** The number of buyers that have traces of the person, and the number of these traces. */
export interface Sold {
  readonly buyers: number
  readonly traces: number
}

/** A buyer that was notified of an erasure, without its name. */
export interface NotifiedBuyer {
  readonly traces: number
  readonly acknowledged: number
  /** The time in milliseconds since 1970. The time is null until the buyer has acknowledged every trace. */
  readonly acknowledgedAt: number | null
}

/** Renders the number of buyers that were notified of an erasure, and the times at which they acknowledged it. */
export function erasureNoticesPage({
  prefix,
  id,
  address,
  now,
  isErasing,
  buyers,
  supportEmail,
}: {
  readonly prefix: string
  /** The id of the erasure, which contains the time at which the account was deleted. */
  readonly id: string
  /** The whole URL of the page. */
  readonly address: string
  readonly now: number
  /** Whether the erasure is not completed, so that more buyers may be notified. */
  readonly isErasing: boolean
  readonly buyers: readonly NotifiedBuyer[]
  readonly supportEmail: string | undefined
}): string {
  const url = `${prefix}/account/erasures/${id}`
  const link = html`<a href="${url}">${message('account.checkAgain')}</a>`
  return page({
    title: message('erasure.title'),
    prefix,
    main: html`${isErasing ? notice('info', message('erasure.running', { link, time: timeOfDay(now) })) : null}
    ${
      isErasing
        ? html`<p>${message('erasure.after')}</p>
            <p><strong>${message('erasure.keepAddress')}</strong></p>
            <p>${copyable(html`<a href="${address}">${breakable(address)}</a>`)}</p>`
        : null
    }
    ${buyers.length > 0 ? noticeList(timeOfUuid(id), buyers, supportEmail) : null}
    ${buyers.length > 0 || isErasing ? null : html`<p>${message('erasure.none')}</p>`}`,
  })
}

function noticeList(erasedAt: number, buyers: readonly NotifiedBuyer[], supportEmail: string | undefined): Html {
  const done = buyers.filter(({ acknowledgedAt }) => acknowledgedAt !== null).length
  const day = html`<time datetime="${timestamp(erasedAt)}">${dateOfDay(utcDay(erasedAt))}</time>`
  return html`<p>${message('erasure.intro', { day })}</p>
    <p>
      ${message('erasure.notified', { count: buyers.length })}
      ${done === 0 ? message('erasure.noneAcknowledged') : message('erasure.acknowledged', { count: done })}
    </p>
    ${table({
      caption: message('erasure.buyers'),
      items: buyers.map((one, at) => ({ ...one, at: at + 1 })),
      columns: [
        [message('erasure.buyer'), ({ at }) => message('erasure.buyerNumber', { number: at })],
        [message('erasure.traces'), ({ traces }) => number(traces), 'number'],
        [
          message('erasure.when'),
          ({ acknowledged, acknowledgedAt, traces }) =>
            acknowledgedAt === null
              ? message('erasure.waiting', { acknowledged: number(acknowledged), traces: number(traces) })
              : time(timestamp(acknowledgedAt)),
        ],
      ],
    })}
    <p>
      ${done < buyers.length ? message('erasure.next') : null}
      ${supportEmail === undefined ? null : message('erasure.contact', { address: mailLink(supportEmail) })}
    </p>`
}

/** Returns the page after the deletion; `noticesUrl` is the page that lists the notified buyers. */
export function erasedPage({ prefix, sold, noticesUrl }: { prefix: string; sold: Sold; noticesUrl: string }): string {
  return page({
    title: message('erased.title'),
    prefix,
    main: html`${notice('done', message('erased.done'))}
      ${
        sold.buyers > 0
          ? html`<p>
                ${message('erased.notified', { count: sold.buyers, traces: number(sold.traces) })}
                ${message('erased.keepLink')}
              </p>
              <p>${copyable(html`<a href="${noticesUrl}">${breakable(noticesUrl)}</a>`)}</p>`
          : null
      }
      <p>${message('erased.back', { link: html`<a href="${prefix}/sign-in">${message('erased.signIn')}</a>` })}</p>`,
  })
}
