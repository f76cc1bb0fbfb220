import {
  breakable,
  commandBlock,
  field,
  html,
  type Html,
  mailLink,
  messagesOf,
  money,
  notice,
  number,
  page,
  stats,
  time,
} from '../../ui/html.ts'
import { table, type Column } from '../../ui/table.ts'
import { buyersMessages } from '../../messages/buyers.ts'
import { datasetFormats } from '../dataset/formats.ts'
import type { SaleDetails } from '../dataset/store.ts'
import type { Flash } from '../../http/flash.ts'
import { shortId } from '../../ids.ts'
import { estimateBytes, sizeText } from './rules.ts'
import type { Removal } from './store.ts'

const message = messagesOf(buyersMessages)

interface Frame {
  readonly prefix: string
  readonly buyer: { readonly name: string }
}

export interface BuyerView extends Frame {
  /** The public URL of the service. */
  readonly address: string
  readonly purchases: readonly {
    readonly id: string
    readonly usd: number
    readonly soldAt: string
    readonly traces: number
  }[]
  /** The cursor of the next page of purchases, or null. */
  readonly next: string | null
  /** The removals that are not acknowledged, oldest first. */
  readonly removals: readonly ShownRemoval[]
  readonly hasMoreRemovals: boolean
  /** A page of the acknowledged removals, newest first. */
  readonly confirmed: {
    readonly items: readonly ShownRemoval[]
    /** The start of the page. Null means the page of the newest removals. */
    readonly cursor: string | null
    readonly next: string | null
  }
  readonly flash: Flash | null
}

type ShownRemoval = Omit<Removal, 'at' | 'acknowledgedAt'> & {
  readonly at: string
  readonly acknowledgedAt: string | null
}

function doneNotice(flash: Flash | null): Html | null {
  if (flash?.done === 'acknowledged')
    return notice('done', message('buyer.done.acknowledged', { count: flash.counts?.[0] ?? 0 }))
  return flash?.done === 'none' ? notice('error', message('buyer.done.none')) : null
}

/** Renders the form by which a buyer signs in. */
export function buyerSignInPage({
  prefix,
  problem,
  supportEmail,
}: {
  readonly prefix: string
  readonly problem: 'empty' | 'wrong' | null
  /** The address that people write to for help, or undefined. */
  readonly supportEmail: string | undefined
}): string {
  return page({
    title: message('buyer.signInTitle'),
    isInvalid: problem !== null,
    prefix,
    nav: html``,
    main: html`<p>${message('buyer.signInIntro')}</p>
      <form method="post" action="${prefix}/buyer/sign-in">
        <input type="text" name="username" value="buyer" autocomplete="username" hidden />
        ${field({
          name: 'token',
          label: message('buyer.token'),
          type: 'password',
          hint: message('buyer.tokenHint', { start: html`<code>trbb_</code>` }),
          autocomplete: 'current-password',
          error: problem === null ? undefined : message(`buyer.token.${problem}`),
        })}
        <p><button>${message('buyer.signIn')}</button></p>
      </form>
      ${supportEmail === undefined ? null : html`<p>${message('buyer.contact', { address: mailLink(supportEmail) })}</p>`}`,
  })
}

const frame = ({ prefix, buyer }: Frame) => ({
  prefix,
  wide: true,
  nav: html`<form method="post" action="${prefix}/buyer/sign-out">
    <span>${message('buyer.signedInAs', { name: html`<bdi>${buyer.name}</bdi>` })}</span>
    <button class="second small">${message('buyer.signOut')}</button>
  </form>`,
})

/** Renders the traces that a buyer has to delete, and the buyer's purchases. */
export function buyerPage(view: BuyerView): string {
  const { prefix, flash, address } = view
  return page({
    ...frame(view),
    title: message('buyer.title'),
    main: html`${doneNotice(flash)} ${removalsSection(view)} ${confirmedList(view)}
      <section aria-labelledby="purchases">
        <h2 id="purchases">${message('buyer.purchases')}</h2>
        ${purchaseTable(view)}
      </section>
      <section aria-labelledby="programs">
        <h2 id="programs">${message('buyer.programs')}</h2>
        <p>
          ${message('buyer.programsText', {
            variable: html`<code>TRIBUTARY_BUYER_TOKEN</code>`,
            feed: html`<code>${breakable(`${address}/api/buyer/removals`)}</code>`,
            link: html`<a href="${prefix}/docs">${message('buyer.reference')}</a>`,
          })}
        </p>
      </section>`,
  })
}

function removalsSection(view: BuyerView): Html {
  const { prefix, removals, hasMoreRemovals } = view
  if (removals.length === 0) return html`<p>${message('buyer.removalsNone')}</p>`
  const count = removals.length
  return html`<section aria-labelledby="removals">
    <h2 id="removals">${message('buyer.removals')}</h2>
    ${notice('error', message('buyer.removalsIntro', { count }))}
    ${table({ caption: message('buyers.oldestFirst'), items: removals, columns: removalColumns(view) })}
    ${hasMoreRemovals ? html`<p>${message('buyer.removalsMore')}</p>` : null}
    <form method="post" action="${prefix}/buyer/acknowledge">
      <input type="hidden" name="ids" value="${removals.map(({ id }) => id).join(' ')}" />
      <p>${message('buyer.acknowledgeEffect')}</p>
      <p><button>${message('buyer.acknowledge', { count })}</button></p>
    </form>
  </section>`
}

function removalColumns({ prefix, purchases }: BuyerView): Column<ShownRemoval>[] {
  const days = new Map(purchases.map(({ id, soldAt }) => [id, soldAt]))
  const showName = (saleId: string): Html => {
    const day = days.get(saleId)
    // A dataset that is not on this page of purchases is named by its ID.
    return day === undefined
      ? html`<code title="${saleId}">${shortId(saleId)}</code>`
      : message('buyer.saleOf', { day: showDay(day) })
  }
  return [
    [message('buyer.trace'), ({ buyerTraceId }) => html`<code>${buyerTraceId}</code>`],
    [message('buyer.sale'), ({ saleId }) => saleLink(prefix, saleId, showName(saleId))],
    [message('buyer.reason'), ({ reason }) => message(`buyer.reason.${reason}`)],
    [message('buyer.since'), ({ at }) => time(at)],
  ]
}

/** Renders the collapsed list of the deletions that the buyer confirmed. Returns null if there are none. */
function confirmedList(view: BuyerView): Html | null {
  const {
    prefix,
    confirmed: { items, cursor, next },
  } = view
  if (items.length === 0 && cursor === null) return null
  const link = (query: string, text: Html): Html => html`<a href="${prefix}/buyer${query}#confirmed">${text}</a>`
  return html`<details id="confirmed" ${cursor === null ? null : html` open`}>
    <summary>${message('buyer.confirmed')}</summary>
    ${table({
      caption: message('buyer.newestFirst'),
      items,
      columns: [
        ...removalColumns(view),
        [message('buyer.confirmedAt'), ({ acknowledgedAt }) => acknowledgedAt && time(acknowledgedAt)],
      ],
    })}
    <div class="pages">
      ${cursor === null ? null : link('', message('buyer.newest'))}
      ${next === null ? null : link(`?confirmed=${next}`, message('buyer.older'))}
    </div>
  </details>`
}

const showDay = (iso: string): Html => html`<time datetime="${iso}">${iso.slice(0, 10)}</time>`

const saleLink = (prefix: string, id: string, text: Html): Html =>
  html`<a href="${prefix}/buyer/sales/${id}">${text}</a>`

function purchaseTable({ prefix, purchases, next }: BuyerView): Html {
  if (purchases.length === 0) return html`<p>${message('buyer.none')}</p>`
  return html`${table({
    caption: message('buyer.newestFirst'),
    items: purchases,
    columns: [
      [
        message('buyer.sale'),
        ({ id, soldAt }) =>
          html`${saleLink(prefix, id, message('buyer.saleOf', { day: showDay(soldAt) }))}<small
              ><code>${id}</code></small
            >`,
      ],
      [message('buyer.traces'), ({ traces }) => number(traces), 'number'],
      [message('buyer.amount'), ({ usd }) => money(usd), 'number'],
      [message('buyer.soldAt'), ({ soldAt }) => time(soldAt)],
      [
        message('buyer.download'),
        ({ id, soldAt }) =>
          html`<a
            class="button small"
            href="${prefix}/buyer/sales/${id}#downloads"
            aria-label="${message('buyer.downloadOne', { day: soldAt.slice(0, 10) })}"
            >${message('buyer.downloadOf')}</a
          >`,
        'act',
      ],
    ],
  })}
  ${next === null ? null : html`<p><a href="${prefix}/buyer?cursor=${next}">${message('buyer.older')}</a></p>`}`
}

/** Renders the content of a purchase, with a download in each format. */
export function buyerSalePage({
  sale,
  address,
  removals,
  ...view
}: Frame & {
  readonly address: string
  /**
   * `ofSale` counts the traces of this dataset that the buyer has to delete or has deleted. `here` counts the traces to
   * delete in this dataset, and `count` those in all datasets. `hasMore`: there are more than `count`.
   */
  readonly removals: {
    readonly ofSale: number
    readonly here: number
    readonly count: number
    readonly hasMore: boolean
  }
  readonly sale: Omit<SaleDetails, 'soldAt'> & { readonly soldAt: string }
}): string {
  const { prefix } = view
  const { id, traces, tokens, usd, copies, filter } = sale
  const link = html`<a href="${prefix}/buyer">${message('buyer.toDeleteLink')}</a>`
  const { ofSale, here, count, hasMore } = removals
  const toDelete = hasMore
    ? message('buyer.toDeleteMore', { count, link })
    : here > 0
      ? message('buyer.toDeleteHere', { count: here, link })
      : message('buyer.toDelete', { count, link })
  const facts = [
    [message('buyer.saleId'), html`<code>${id}</code>`],
    [message('buyer.soldAt'), time(sale.soldAt)],
    [message('buyer.filter'), filterText(filter)],
    [message('buyer.copies'), number(copies.traces)],
    [message('buyer.scrubbed'), message('buyer.scrubbedText')],
    [message('buyer.duty'), message('buyer.dutyText')],
  ] as const
  return page({
    ...frame(view),
    above: html`<p class="trail"><a href="${prefix}/buyer">${message('buyer.title')}</a></p>`,
    title: message('buyer.saleOf', { day: showDay(sale.soldAt) }),
    main: html`${count > 0 ? notice('error', toDelete) : null}
      ${stats([
        [
          message('buyer.traces'),
          number(traces),
          ofSale > 0 ? message('buyer.tracesNow', { count: traces - ofSale }) : undefined,
        ],
        [message('buyer.tokens'), number(tokens)],
        [message('buyer.amount'), money(usd)],
      ])}
      <section aria-labelledby="downloads">
        <h2 id="downloads">${message('buyer.downloads')}</h2>
        ${table({
          caption: message('buyer.downloadsText'),
          items: datasetFormats,
          columns: [
            [
              message('buyer.format'),
              (format) =>
                html`${message(`format.${format}`)} <code>${format}</code
                  ><small>${message(`format.${format}Text`)}</small>`,
            ],
            [message('buyer.size'), () => message('buyer.about', { size: sizeText(estimateBytes(sale)) }), 'number'],
            [
              message('buyer.download'),
              (format) =>
                html`<a
                  class="button second small"
                  href="${prefix}/buyer/sales/${id}/download?format=${format}"
                  aria-label="${message('buyer.downloadFormat', { format: message(`format.${format}`) })}"
                  download
                  >${message('buyer.download')}</a
                >`,
              'act',
            ],
          ],
        })}
        <p>
          ${message('buyer.commandText', {
            variable: html`<code>TRIBUTARY_BUYER_TOKEN</code>`,
            format: html`<code>documents</code>`,
            other: html`<code>messages</code>`,
          })}
        </p>
        ${commandBlock(
          message('buyer.command'),
          [
            'curl --fail --output dataset.jsonl',
            '--header "Authorization: Bearer $TRIBUTARY_BUYER_TOKEN"',
            // Without quotes, zsh reads `?` as a pattern of file names.
            `'${address}/api/buyer/sales/${id}/dataset?format=documents'`,
          ].join(' \\\n  '),
        )}
      </section>
      <section aria-labelledby="card">
        <h2 id="card">${message('buyer.card')}</h2>
        <dl>
          ${facts.map(
            ([name, value]) =>
              html`<dt>${name}</dt>
                <dd>${value}</dd>`,
          )}
        </dl>
      </section>`,
  })
}

/** Renders the conditions of a sale's filter. */
function filterText(filter: SaleDetails['filter']): Html {
  if (filter === null) return message('buyer.listed')
  const conditions = Object.entries(filter).map(([name, value]) => `${name}: ${String(value)}`)
  return conditions.length === 0 ? message('buyer.all') : html`<bdi>${conditions.join(', ')}</bdi>`
}
