import { table } from '../ui/table.ts'
import { clientSteps, type ClientTerms } from '../ui/client-commands.ts'
import {
  balanceAmount,
  countriesInText,
  html,
  messagesOf,
  notice,
  number,
  page,
  stats,
  time,
  type Html,
} from '../ui/html.ts'
import { timestamp } from '../ids.ts'
import type { PausedBy } from '../contributors/policy/rules.ts'
import { pausedText } from '../contributors/paused-text.ts'
import { sourceText } from '../ui/source-text.ts'
import { statusTag } from '../ingest/pages/texts.ts'
import type { JobRecord } from '../ingest/store.ts'
import { homeMessages } from '../messages/home.ts'
import { jobMessages } from '../messages/jobs.ts'
import { scrubExample } from './example.ts'
import { shareList, type ShareTerms } from '../ledger/shares.ts'

const message = messagesOf(homeMessages)
const jobMessage = messagesOf(jobMessages)

/** A link to a page of the host that exists only in development. */
export interface DevelopmentLink {
  /** The path below the mount prefix. */
  readonly path: string
  readonly text: string | Html
}

/** The facts about a service that the home page states. */
export interface HomeTerms extends ShareTerms, ClientTerms {
  readonly prefix: string
  readonly approval: 'manual' | 'automatic'
  /** The two-letter codes of the countries in which uploads are open. */
  readonly allowedCountries: readonly string[]
  readonly developmentLinks: readonly DevelopmentLink[]
  /** The mailer. Null means that the service sends no mails. */
  readonly mailer: object | null
}

/** The progress of a person, for the home page. */
export interface Overview {
  /** The waitlist status of a person, shown in place of the steps. Null for everybody who is not on the waitlist. */
  readonly waiting: Html | null
  /** The onboarding steps. Null once the steps are done and there is a trace. */
  readonly openSteps: Html | null
  readonly pausedBy: PausedBy
  /** Whether the person lives where uploads are open. */
  readonly residencyConfirmed: boolean
  /** Whether the person's application waits for a decision. */
  readonly isPending: boolean
  /** The balance that can be paid out and the amount of sales that is not available yet, in micro-dollars. */
  readonly balance: number
  readonly pending: number
  readonly traces: number
  /** The last uploads, newest first. */
  readonly jobs: readonly JobRecord[]
}

export interface HomeView extends HomeTerms {
  readonly email: string | null
  /** The progress of the person who is signed in, or null for a visitor. */
  readonly overview: Overview | null
  /** The name of the operator who is signed in with this browser, or null. */
  readonly operator: string | null
}

/**
 * Returns the home page. A visitor reads a description of the service. A person who is signed in sees the steps that
 * are left.
 */
export function homePage(view: HomeView): string {
  const { prefix, email, overview, operator, developmentLinks } = view
  const development = developmentSection(prefix, developmentLinks)
  if (overview) {
    const uploads = lastUploads(prefix, overview.jobs)
    const howTo = overview.waiting || overview.pausedBy ? null : uploadSection(view, overview)
    // For a person who has uploaded, the upload instructions are collapsed and shown next to the notice whether uploads
    // are open.
    const isFolded = overview.openSteps === null
    return page({
      title: message('home.overview'),
      here: '/',
      prefix,
      email,
      signedIn: true,
      wide: true,
      main: html` ${operator === null ? null : operatorNotice(operator, prefix)}
        ${standing(view, overview, isFolded ? howTo : null)}
        <div class="columns">
          ${uploads || !isFolded ? html`<div>${uploads} ${isFolded ? null : howTo}</div>` : null}
          <div>
            ${moneySection(view)}
            <details>
              <summary>${message('home.removed')}</summary>
              ${removal(prefix)}
            </details>
            ${development}
          </div>
        </div>`,
    })
  }
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
      <p>${openCountries(view)}</p>
      <div class="columns">
        <section aria-labelledby="removed">
          <h2 id="removed">${message('home.removed')}</h2>
          ${removal(prefix)}
        </section>
        <div>${startSection(view)} ${moneySection(view)} ${development}</div>
      </div>`,
  })
}

/** Renders the next step, or whether uploads are open, with the person's figures and last uploads. */
function standing({ prefix, brand }: HomeView, overview: Overview, howTo: Html | null): Html {
  const { waiting, openSteps, pausedBy, balance, pending, traces, jobs } = overview
  const account = html`<a href="${prefix}/account#uploads">${message('home.account')}</a>`
  const links = {
    uploads: html`<a href="${prefix}/jobs">${message('home.uploads')}</a>`,
    traces: html`<a href="${prefix}/traces">${message('home.traces')}</a>`,
  }
  const uploads = pausedBy
    ? html`<p>${pausedText(pausedBy, brand.supportEmail)} ${message('home.pausedSee', { account })}</p>`
    : html`<p><span class="tag good">${message('home.open')}</span> ${message('home.openText', links)}</p>`
  const lastUploadAt = jobs[0]?.enqueuedAt
  return html`${waiting ?? openSteps ?? uploads} ${howTo}
  ${stats(
    [
      [message('home.balance'), balanceAmount(balance)],
      [message('home.pending'), balanceAmount(pending)],
      [message('home.traces'), number(traces)],
      [message('home.lastUpload'), lastUploadAt === undefined ? message('home.none') : time(timestamp(lastUploadAt))],
    ],
    message('home.overview'),
  )}`
}

/** The number of uploads that the overview lists. */
const listedJobs = 5

/** Renders the last uploads with their states, failed uploads first. */
function lastUploads(prefix: string, jobs: readonly JobRecord[]): Html | null {
  if (jobs.length === 0) return null
  const failedFirst = [...jobs].sort((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed'))
  return html`<section aria-labelledby="uploads">
    <h2 id="uploads">${message('home.lastUploads')}</h2>
    ${table({
      caption: message('home.uploadsCaption'),
      items: failedFirst.slice(0, listedJobs),
      columns: [
        [
          jobMessage('jobs.upload'),
          ({ id, source, total }) =>
            html`<a href="${prefix}/jobs/${id}"
              >${jobMessage('jobs.name', { source: sourceText(source), count: total })}</a
            >`,
        ],
        [jobMessage('jobs.status'), ({ status }) => statusTag(status)],
        [jobMessage('jobs.sent'), ({ enqueuedAt }) => time(timestamp(enqueuedAt))],
      ],
    })}
    <p><a href="${prefix}/jobs">${message('home.allUploads')}</a></p>
  </section>`
}

/** Renders a notice that this browser is also signed in as an operator. */
function operatorNotice(name: string, prefix: string): Html {
  const link = html`<a href="${prefix}/admin">${message('home.toOperatorPages')}</a>`
  return notice('info', message('home.alsoOperator', { name: html`<strong><bdi>${name}</bdi></strong>`, link }))
}

/** Renders lists of the data that is removed from a conversation, and of the data that is not. */
function removal(prefix: string): Html {
  const blockedTerms = html`<a href="${prefix}/blocked-terms">${message('home.blockedTerms')}</a>`
  return html`<p>${message('home.removedIntro', { placeholder: html`<code>[EMAIL_1]</code>` })}</p>
    <ul>
      <li>${message('home.removedRecognized')}</li>
      <li>${message('home.removedProvided')}</li>
      <li>${message('home.removedIdentity')}</li>
      <li>${message('home.removedTerms', { link: blockedTerms })}</li>
    </ul>
    <h3>${message('home.example')}</h3>
    <div class="example">
      <p>${message('home.before')}</p>
      <pre tabindex="0" role="region" aria-label="${message('home.before')}">${scrubExample.before}</pre>
      <p>${message('home.after')}</p>
      <pre tabindex="0" role="region" aria-label="${message('home.after')}">${withMarks(scrubExample.after)}</pre>
    </div>
    <p>${message('home.exampleKept', { name: html`<code>db.acme.com</code>`, link: blockedTerms })}</p>
    <h3>${message('home.kept')}</h3>
    <p>${message('home.keptText')}</p>
    <p>${message('home.control')}</p>`
}

/** Marks the placeholders in a text. */
const withMarks = (text: string): Html =>
  html`${text.split(/(\[[A-Z]+_\d+\])/).map((part, at) => (at % 2 === 0 ? part : html`<mark>${part}</mark>`))}`

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
    ${commands(view, false)}
  </section>`
}

/** Renders the upload instructions, collapsed for a person who has uploaded. */
function uploadSection(view: HomeTerms, { openSteps, isPending, residencyConfirmed }: Overview): Html {
  const text = html`${isPending ? html`<p>${message('home.uploadPending')}</p>` : null}
  ${commands(view, !residencyConfirmed)}`
  if (openSteps === null)
    return html`<details id="upload">
      <summary>${message('home.upload')}</summary>
      ${text}
    </details>`
  return html`<section aria-labelledby="upload">
    <h2 id="upload">${message('home.upload')}</h2>
    ${text}
  </section>`
}

/** Renders the commands of the client, and who may upload when the person's residence is not known. */
function commands(terms: HomeTerms, showsCountries: boolean): Html {
  const [login, setup, preview, upload] = ['login', 'setup', 'preview', 'upload'].map(
    (name) => html`<code>${name}</code>`,
  ) as [Html, Html, Html, Html]
  return html`${clientSteps(message('home.commands'), terms, { hasDevice: false })}
    <p>${message('home.commandsText', { login, setup, preview, upload })}</p>
    ${showsCountries ? html`<p>${openCountries(terms)}</p>` : null}`
}

function openCountries({ prefix, allowedCountries }: HomeTerms): Html {
  const open = {
    count: allowedCountries.length,
    countries: countriesInText(allowedCountries),
    link: html`<a href="${prefix}/waitlist">${message('home.waitlist')}</a>`,
  }
  return message('home.countries', open)
}

function moneySection(terms: HomeTerms): Html {
  return html`<section aria-labelledby="money">
    <h2 id="money">${message('home.money')}</h2>
    ${shareList(terms)}
    <p>${message('home.payouts')} ${terms.mailer ? message('home.payoutMail') : null} ${message('home.estimates')}</p>
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
