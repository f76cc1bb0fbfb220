import { clientCommands } from '../http/client-commands.ts'
import { percent } from '../http/format.ts'
import {
  balanceAmount,
  countries,
  html,
  message as layoutMessage,
  messagesOf,
  notice,
  number,
  page,
  stats,
  time,
  type Html,
} from '../http/html.ts'
import { dayMs, timestamp } from '../ids.ts'
import { accountMessages } from '../messages/account.ts'
import { homeMessages } from '../messages/home.ts'

const message = messagesOf(homeMessages)
const accountMessage = messagesOf(accountMessages)

/** A link to a page of the host that exists only in development. */
export interface DevelopmentLink {
  /** Below the mount prefix. */
  readonly path: string
  readonly text: string | Html
}

/** What the home page says about a service. */
export interface HomeTerms {
  readonly prefix: string
  /** Returns the public URL of a path of the service. */
  readonly link: (path: string) => string
  readonly approval: 'manual' | 'automatic'
  /** Two-letter codes. */
  readonly allowedCountries: readonly string[]
  /** The part of the price of a sale that contributors get, 0 to 1. */
  readonly revenueShare: number
  /** The part of the price of impressions that the owner of the device gets, 0 to 1. */
  readonly adShare: number
  /** Milliseconds until a share of a sale is available. */
  readonly settleMs: number
  readonly capabilities: { readonly ads: boolean }
  readonly developmentLinks: readonly DevelopmentLink[]
  /** Null: the service sends no mails. */
  readonly mailer: object | null
}

/** Where a person stands. */
export interface Overview {
  /** Where a person on the waitlist stands, in place of the steps; null for everybody else. */
  readonly waiting: Html | null
  /** The onboarding steps; null once they are done and there is a trace. */
  readonly openSteps: Html | null
  /** Who paused the uploads of the person, or null. A pause by the operator comes first. */
  readonly pausedBy: 'operator' | 'person' | null
  /** Micro-dollars that can be paid out, and those of sales that are not available yet. */
  readonly balance: number
  readonly pending: number
  readonly traces: number
  /** When the last upload was sent, in milliseconds since 1970, or null. */
  readonly lastUploadAt: number | null
}

export interface HomeView extends HomeTerms {
  readonly email: string | null
  /** Null for a visitor. */
  readonly overview: Overview | null
  /** The name of the operator who is signed in with this browser, or null. */
  readonly operator: string | null
  /** Whether the person just signed in without a form of their own. */
  readonly isSignedIn: boolean
}

/**
 * Returns the home page: what the service does for a visitor, where they stand for a person who is signed in, and the
 * way to the operator pages for an operator.
 */
export function homePage(view: HomeView): string {
  const { prefix, email, overview, operator, isSignedIn, developmentLinks } = view
  const development = developmentSection(prefix, developmentLinks)
  if (overview)
    return page({
      title: message('home.overview'),
      prefix,
      email,
      signedIn: true,
      wide: true,
      main: html`${isSignedIn && email ? notice('done', message('home.signedIn', { email: html`<strong>${email}</strong>` })) : null}
        ${operator === null ? null : notice('info', message('home.alsoOperator', { name: operatorName(operator), link: html`<a href="${prefix}/admin">${message('home.toOperatorPages')}</a>` }))}
        ${standing(prefix, overview)}
        <div class="columns">
          ${overview.waiting ? null : uploadSection(view)}
          <div>${moneySection(view)} ${development}</div>
        </div>
        <details>
          <summary>${message('home.removed')}</summary>
          ${removal(prefix)}
        </details>`,
    })
  if (operator !== null)
    return page({
      title: message('home.overview'),
      prefix,
      wide: true,
      nav: html`<a href="${prefix}/admin">${message('home.operatorPages')}</a>
        <form method="post" action="${prefix}/admin/sign-out">
          <button class="plain">${layoutMessage('nav.signOut')}</button>
        </form>`,
      main: html`<p class="lead">${message('home.operatorLead', { name: operatorName(operator) })}</p>
        ${linkList(prefix, operatorPages)}
        <p>${message('home.operatorVisitor')}</p>
        ${development}`,
    })
  return page({
    title: message('home.title'),
    tab: message('home.tab'),
    prefix,
    wide: true,
    main: html`<p class="lead">${message('home.lead')}</p>
      <p class="actions">
        <a class="button" href="${prefix}/sign-in?next=%2F">${message('home.signIn')}</a>
        <a href="${prefix}/terms">${message('home.readTerms')}</a>
      </p>
      <div class="columns">
        <section aria-labelledby="removed">
          <h2 id="removed">${message('home.removed')}</h2>
          ${removal(prefix)}
        </section>
        <div>${startSection(view)} ${moneySection(view)} ${development}</div>
      </div>`,
  })
}

/** Renders the next step, or whether uploads are open, and the person's figures with links to their pages. */
function standing(prefix: string, overview: Overview): Html {
  const { waiting, openSteps, pausedBy, balance, pending, traces, lastUploadAt } = overview
  const account = html`<a href="${prefix}/account#uploads">${message('home.account')}</a>`
  const pauseKey = pausedBy === 'operator' ? 'account.operatorPaused' : 'account.paused'
  const pauseText = accountMessage(pausedBy === 'operator' ? 'account.operatorPaused' : 'account.pausedText')
  const uploads = pausedBy
    ? html`<p>
        <span class="tag bad">${accountMessage(`${pauseKey}Tag`)}</span> ${pauseText}
        ${message('home.pausedSee', { account })}
      </p>`
    : html`<p><span class="tag good">${message('home.open')}</span> ${message('home.openText')}</p>`
  return html`${waiting ?? openSteps ?? uploads}
  ${stats(
    [
      [message('home.balance'), balanceAmount(balance)],
      [message('home.pending'), balanceAmount(pending)],
      [message('home.traces'), number(traces)],
      [message('home.lastUpload'), lastUploadAt === null ? message('home.none') : time(timestamp(lastUploadAt))],
    ],
    message('home.overview'),
  )}
  ${linkList(prefix, ownPages)}`
}

type LinkedPage = readonly [path: string, name: (typeof ownPages | typeof operatorPages)[number][1]]

/** Renders links with a sentence about each page. */
function linkList(prefix: string, pages: readonly LinkedPage[]): Html {
  return html`<ul class="links">
    ${pages.map(
      ([path, name]) =>
        html`<li>
          <a href="${prefix}${path}">${message(`home.${name}Link`)}</a><small>${message(`home.${name}Text`)}</small>
        </li>`,
    )}
  </ul>`
}

/** The pages of a person. */
const ownPages = [
  ['/traces', 'traces'],
  ['/jobs', 'uploads'],
  ['/earnings', 'earnings'],
  ['/account', 'account'],
] as const

/** The pages that an operator needs most. */
const operatorPages = [
  ['/admin', 'operatorOverview'],
  ['/admin/applications', 'applications'],
  ['/admin/contributors', 'contributors'],
  ['/admin/sales', 'operatorSales'],
] as const

const operatorName = (name: string): Html => html`<strong><bdi>${name}</bdi></strong>`

/** Renders what is removed from a conversation and what is not. */
function removal(prefix: string): Html {
  const blockedTerms = html`<a href="${prefix}/blocked-terms">${message('home.blockedTerms')}</a>`
  return html`<p>${message('home.removedIntro', { placeholder: html`<code>[EMAIL_1]</code>` })}</p>
    <ul>
      <li>${message('home.removedRecognized')}</li>
      <li>${message('home.removedProvided')}</li>
      <li>${message('home.removedIdentity')}</li>
      <li>${message('home.removedTerms', { link: blockedTerms })}</li>
    </ul>
    <h3>${message('home.kept')}</h3>
    <p>${message('home.keptNames')}</p>
    <p>${message('home.keptText')}</p>
    <p>${message('home.control')}</p>`
}

function startSection(view: HomeTerms): Html {
  const { prefix, approval } = view
  const signIn = html`<a href="${prefix}/sign-in?next=%2F">${message('home.signInLink')}</a>`
  const terms = html`<a href="${prefix}/terms">${message('home.termsLink')}</a>`
  return html`<section aria-labelledby="start">
    <h2 id="start">${message('home.start')}</h2>
    <ol>
      <li>${message('home.startSignIn', { link: signIn })}</li>
      <li>
        ${message('home.startApply', { link: terms })}${approval === 'manual' ? html` ${message('home.review')}` : null}
      </li>
      <li>${message('home.startUpload')}</li>
    </ol>
    ${commands(view)}
  </section>`
}

function uploadSection(view: HomeTerms): Html {
  return html`<section aria-labelledby="upload">
    <h2 id="upload">${message('home.upload')}</h2>
    <p>${message('home.uploadText')}</p>
    ${commands(view)}
  </section>`
}

/** Renders the commands of the example client, and who may upload. */
function commands({ prefix, link, allowedCountries }: HomeTerms): Html {
  const open = {
    countries: countries(allowedCountries),
    link: html`<a href="${prefix}/waitlist">${message('home.waitlist')}</a>`,
  }
  const names = { preview: html`<code>preview</code>`, upload: html`<code>upload</code>` }
  return html`${clientCommands(message('home.commands'), link(''))}
    <p>${message('home.commandsText', names)}</p>
    <p>${message('home.countries', open)}</p>`
}

function moneySection({ revenueShare, adShare, settleMs, capabilities, mailer }: HomeTerms): Html {
  const days = settleMs / dayMs
  const available = days === 0 ? message('home.availableAtOnce') : message('home.availableAfter', { count: days })
  return html`<section aria-labelledby="money">
    <h2 id="money">${message('home.money')}</h2>
    <ul>
      <li>
        <strong>${message('home.sales')}</strong> ${message('home.salesText', { share: percent(revenueShare) })}
        ${available}
      </li>
      ${
        capabilities.ads
          ? html`<li>
              <strong>${message('home.lines')}</strong> ${message('home.linesText', { share: percent(adShare) })}
            </li>`
          : null
      }
    </ul>
    <p>${message('home.payouts')} ${mailer ? message('home.payoutMail') : null} ${message('home.estimates')}</p>
  </section>`
}

function developmentSection(prefix: string, links: readonly DevelopmentLink[]): Html | null {
  if (links.length === 0) return null
  return html`<section aria-labelledby="development">
    <h2 id="development">${message('home.development')}</h2>
    <p>${message('home.developmentText')}</p>
    <ul>
      ${links.map(({ path, text }) => html`<li><a href="${prefix}${path}">${text}</a></li>`)}
    </ul>
  </section>`
}
