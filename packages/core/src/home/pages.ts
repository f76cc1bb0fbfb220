import { brandName, html, page, type Html } from '../http/html.ts'
import { dayMs } from '../ids.ts'

/** A link to a page of the host that exists only in development. */
export interface DevelopmentLink {
  /** Below the mount prefix. */
  readonly path: string
  readonly text: string
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
}

export interface HomeView extends HomeTerms {
  /** Who is signed in; `openSteps` is null once all steps are done. */
  readonly person: { readonly email: string | null; readonly openSteps: Html | null } | null
}

/** Returns the home page. */
export function homePage(view: HomeView): string {
  const { prefix, person, developmentLinks } = view
  const main = html`<p class="lead">
      You upload conversations between yourself and AI tools, such as the sessions of a coding agent. ${brandName}
      replaces the secrets and personal data that it recognizes, and sells copies to others, who may train and test AI
      models with them. You get a share of the price.
    </p>
    ${person ? standing(prefix, person.openSteps) : visitorActions(prefix)} ${removalSection(prefix)}
    ${startSection(view)} ${moneySection(view)} ${developmentSection(prefix, developmentLinks)}`
  return page({
    title: 'Share your AI conversations and get paid',
    tab: 'Home',
    prefix,
    email: person?.email ?? null,
    signedIn: person !== null,
    main,
  })
}

function visitorActions(prefix: string): Html {
  return html`<p class="actions">
    <a class="button" href="${prefix}/sign-in?next=%2F">Sign in or create an account</a>
    <a href="${prefix}/terms">Read the terms</a>
  </p>`
}

/** Renders where a person stands: the open steps, or what there is to look at. */
function standing(prefix: string, openSteps: Html | null): Html {
  return html`<section aria-labelledby="standing">
    <h2 id="standing">Your account</h2>
    ${openSteps ?? html`<p>Your account is set up. New uploads appear under your traces.</p>`}
    <ul>
      <li><a href="${prefix}/traces">View your traces</a>: read what was kept, exclude from sale, or delete</li>
      <li><a href="${prefix}/earnings">View your earnings</a>: your balance and each entry</li>
      <li><a href="${prefix}/account">Manage your account</a>: devices, blocked terms, export and deletion</li>
    </ul>
  </section>`
}

function removalSection(prefix: string): Html {
  return html`<section aria-labelledby="removed">
    <h2 id="removed">What is removed</h2>
    <p>Before a conversation is stored, a program replaces with placeholders such as <code>[EMAIL_1]</code>:</p>
    <ul>
      <li>what it recognizes as passwords, keys, e-mail addresses, phone numbers, card numbers and the like</li>
      <li>
        what you told us about yourself: the e-mail address of your account, your contact details, the name and websites
        of your company
      </li>
      <li>the accounts and names by which a conversation shows who wrote it</li>
      <li>the words on your list of <a href="${prefix}/blocked-terms">blocked terms</a></li>
    </ul>
    <h3>What is not removed</h3>
    <p>
      The program does not recognize every name of other people in running text, descriptions that give somebody away
      without a name, or pictures of text. No such program finds everything. If something must not leave your device, do
      not upload it.
    </p>
    <p>
      You can read each conversation as it was kept. Until it is sold for the first time, you can exclude it from sale
      or delete it. A copy that was sold cannot be called back.
    </p>
  </section>`
}

function startSection({ prefix, link, approval, allowedCountries }: HomeTerms): Html {
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  const countries = new Intl.ListFormat('en').format(allowedCountries.map((code) => names.of(code) ?? code))
  return html`<section aria-labelledby="start">
    <h2 id="start">How to start</h2>
    <ol>
      <li><a href="${prefix}/sign-in?next=%2F">Sign in</a> with your e-mail address.</li>
      <li>
        Accept the <a href="${prefix}/terms">terms</a>, apply as a contributor and add contact
        details.${approval === 'manual' ? ' We review every application by hand.' : null}
      </li>
      <li>Upload with a command-line client. With the client in a clone of Tributary's repository:</li>
    </ol>
    <pre tabindex="0" role="region" aria-label="Commands"><code>export TRIBUTARY_URL=${link('')}
npm run example:contributor -- login
npm run example:contributor -- setup
npm run example:contributor -- preview
npm run example:contributor -- upload</code></pre>
    <p>
      <code>preview</code> shows what would be sent and what would be removed, and sends nothing. <code>upload</code>
      asks before it sends anything.
    </p>
    <p>
      Uploads are open to residents of these countries: ${countries}. Live elsewhere?
      <a href="${prefix}/waitlist">Join the waitlist</a>.
    </p>
  </section>`
}

function moneySection({ revenueShare, adShare, settleMs, capabilities }: HomeTerms): Html {
  const days = settleMs / dayMs
  return html`<section aria-labelledby="money">
    <h2 id="money">How you earn</h2>
    <ul>
      <li>
        <strong>Sales.</strong> When traces are sold, ${percent(revenueShare)} of the price goes to their contributors,
        divided by the number of tokens. Your share is available
        ${days === 0 ? 'at once' : `${days} ${days === 1 ? 'day' : 'days'} after the sale`}.
      </li>
      ${
        capabilities.ads
          ? html`<li>
              <strong>Sponsor lines.</strong> You get ${percent(adShare)} of what sponsors pay for the lines that your
              devices show.
            </li>`
          : null
      }
    </ul>
    <p>
      We pay out what is available and send you an e-mail when we do. Estimates of value are not an offer to pay. If you
      delete your account, what was not paid out is lost.
    </p>
  </section>`
}

const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`

function developmentSection(prefix: string, links: readonly DevelopmentLink[]): Html | null {
  if (links.length === 0) return null
  return html`<section aria-labelledby="development">
    <h2 id="development">Development</h2>
    <p>These pages exist only while the service runs in development.</p>
    <ul>
      ${links.map(({ path, text }) => html`<li><a href="${prefix}${path}">${text}</a></li>`)}
    </ul>
  </section>`
}
