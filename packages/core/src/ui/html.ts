import { escape } from './escape.ts'
import type { LayoutPart } from './layout.ts'
import { timestamp } from '../ids.ts'
import { layoutMessages } from '../messages/layout.ts'
import { exactDecimals, floorToCents, toDollars } from '../money.ts'
import { writeMark } from './marks.ts'
import { findEnglish, type TextKey, type TextParams, type Texts } from './messages.ts'
import { plainText } from '../http/text.ts'

export { escape } from './escape.ts'

/** HTML in which every inserted value is escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | string | number | null | undefined | false | readonly Value[]

function show(value: Value): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(show).join('')
  if (value === null || value === undefined || value === false) return ''
  return escape(visible(String(value)))
}

/** Removes invisible characters. Most values are plain ASCII and are returned as they are. */
function visible(text: string): string {
  return /[^\n\x20-\x7e]/.test(text) ? plainText(text) : text
}

/**
 * Makes HTML from a template and escapes its values: `` html`<p>${name}</p>` ``. Control, bidirectional and other
 * invisible characters are removed from values (`plainText`), so that another person's text cannot reverse a line or
 * hide a part of itself. Null, undefined and false are empty; lists are joined.
 */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, i) => text + show(values[i - 1]) + part))
}

/** The name of the brand, which is known when the page is sent. */
export const brandName = layoutPart('brand')

/** The tag of the page's language, which is known when the page is sent. */
export const language = layoutPart('language')

/** Renders the logo and the name of the brand as a link to the home page. */
export const brandLink = (prefix: string, isCurrent = false): Html =>
  html`<a class="brand" href="${prefix}/" ${isCurrent ? html` aria-current="page"` : null}
    >${layoutPart('logo')}${brandName}</a
  >`

/** The frame of a page around its content. */
export interface PageFrame {
  readonly title: string | Html
  /** The mount prefix, with which every link starts. */
  readonly prefix: string
  /** The e-mail address of the person who is signed in. */
  readonly email?: string | null
  readonly signedIn?: boolean
  /** The page's own path, so that its link in the navigation is marked as current. */
  readonly here?: string
  /** Whether the page is wide, for tables. */
  readonly wide?: boolean
  /** The content of the account's navigation. Default: the links of the account. */
  readonly nav?: Html
  /** The person's progress towards the first upload, below the title. */
  readonly progress?: Html | null
  /** The content above the heading, such as a link back. */
  readonly above?: Html | null
  /** The title of the browser's tab. Default: the heading. */
  readonly tab?: string | Html
  /** Whether the submitted form has an error. If so, the title of the tab starts with a note about the error. */
  readonly isInvalid?: boolean
  readonly main: Html
}

/**
 * Creates the function that puts texts of a group into pages. The language of a page is known only when the page is
 * sent, so the function writes a mark for `finishPage`. Values are escaped, numbers formatted, and a `count` chooses
 * the plural form:
 *
 * ```ts
 * const message = messagesOf(traceMessages)
 * html`<p>${message('traces.selected', { count: 3 })}</p>`
 * ```
 */
export function messagesOf<const Group extends Texts>(group: Group) {
  return <Key extends TextKey<Group>>(
    key: Key,
    ...[params]: TextParams<Group, Key, Html | string | number | null>
  ): Html => {
    const english = findEnglish(group, key)
    const given: Readonly<Record<string, Html | string | number | null>> = params ?? {}
    const values = Object.entries(given).flatMap(([name, value]) => [
      name,
      { text: show(typeof value === 'number' ? number(value) : value) },
    ])
    return new Html(
      typeof english === 'string'
        ? writeMark('text', key, joinLines(english), ...values)
        : writeMark('plural', key, String(given['count']), joinLines(english.one), joinLines(english.other), ...values),
    )
  }
}

/** Joins the indented lines of a long text of `messages`. */
function joinLines(text: string): string {
  return text.replace(/\n\s*/g, ' ')
}

/** Puts a text of the layout into a page. */
export const message = messagesOf(layoutMessages)

/** Shows a number with the separators of the page's language. */
export function number(value: number): Html {
  return new Html(writeMark('number', String(value)))
}

/** Shows an amount in dollars as `formatUsd` does, in the page's language. */
export function money(usd: number, decimals?: number): Html {
  return new Html(writeMark('usd', String(usd), ...(decimals === undefined ? [] : [String(decimals)])))
}

/** Shows an amount in dollars without rounding it, such as a price or what a sponsor pays. */
export function exactMoney(usd: number): Html {
  return money(usd, exactDecimals([usd]))
}

/** Shows an amount of a balance in whole cents, rounded down. `micros` is in micro-dollars. */
export function balanceAmount(micros: number): Html {
  return money(toDollars(floorToCents(micros)))
}

/** Shows the names of countries by their two-letter codes, joined to a list. */
export function countries(codes: readonly string[]): Html {
  return new Html(writeMark('countries', ...codes))
}

/** Shows the names of countries in the form for a sentence: `the United States and Germany`. */
export function countriesInText(codes: readonly string[]): Html {
  return new Html(writeMark('countriesInText', ...codes))
}

/** Renders the options of a country selection, sorted by name. */
export function countryOptions(codes: readonly string[], selected: string): Html {
  return new Html(writeMark('countryOptions', selected, ...codes))
}

/** Returns a placeholder for a layout part that is filled in when the page is sent. */
function layoutPart(name: LayoutPart): Html {
  return new Html(writeMark(name))
}

/** The logo as a data URL, for the browser's tab. */
export const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#1f87a3" stroke-width="3" ' +
    'stroke-linecap="round"><path d="M5 3c0 7 7 6 7 12v6"/><path d="M19 3c0 5-4 6-6 9"/></svg>',
)}`

/** Renders a page: one column, a skip link, a heading. Its style sheet is `/assets/tributary.css`. */
export function page({
  title,
  prefix,
  email,
  signedIn,
  here,
  wide,
  nav,
  progress,
  above,
  tab,
  isInvalid,
  main,
}: PageFrame): string {
  const link = (path: string, name: Html): Html =>
    html`<a href="${prefix}${path}" ${path === here ? html` aria-current="page"` : null}>${name}</a>`
  const account =
    nav ??
    (signedIn
      ? html`${link('/traces', message('nav.traces'))} ${link('/jobs', message('nav.uploads'))}
          ${link('/earnings', message('nav.earnings'))} ${link('/account', message('nav.account'))}
          <form method="post" action="${prefix}/sign-out">
            <button class="plain" title="${email ?? null}">${message('nav.signOut')}</button>
          </form>`
      : link('/sign-in', message('nav.signIn')))
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${isInvalid ? html`${message('form.error')} ` : null}${tab ?? title} · ${brandName}</title>
        <link rel="icon" href="${icon}" />
        <link rel="stylesheet" href="${prefix}/assets/tributary.css" />
      </head>
      <body>
        <a class="skip" href="#main">${message('layout.skip')}</a>
        <header>
          <div>
            ${brandLink(prefix, here === '/')}
            <nav aria-label="${message('layout.account')}">${account}</nav>
          </div>
        </header>
        <main id="main" tabindex="-1" ${wide ? html` class="wide"` : null}>
          ${above ?? null}
          <h1>${title}</h1>
          ${progress ?? null} ${main}
        </main>
        ${layoutPart('footer')}${
          / data-copy=| class="notice /.test(main.text)
            ? html`<script type="module" src="${prefix}/assets/page.js"></script>`
            : null
        }
      </body>
    </html> `.text
}

/** Renders a text of an app: paragraphs divided by empty lines. A paragraph that starts with `## ` is a heading. */
export function prose(text: string): Html {
  const paragraphs = text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return html`<div class="prose">
    ${paragraphs.map((part) => (part.startsWith('## ') ? html`<h2>${part.slice(3)}</h2>` : html`<p>${part}</p>`))}
  </div>`
}

/**
 * Renders a labelled field of a form. Hint and error are linked to the input for screen readers. The first field with an
 * error takes the focus when the page is opened, unless an error of the whole form is above it.
 */
export function field(options: {
  name: string
  /** The id of the input. Default: `name`. */
  id?: string
  label: string | Html
  type?: string
  value?: string | undefined
  hint?: string | Html
  error?: string | Html | undefined
  required?: boolean
  autocomplete?: string
  inputmode?: string
  maxlength?: number
  /** Whether the value is a code, shown in wide letters. */
  letters?: boolean
  /** Values that the browser proposes while somebody types. */
  proposed?: readonly string[]
}): Html {
  const {
    name,
    id = options.name,
    label,
    type = 'text',
    value = '',
    hint,
    error,
    required = true,
    autocomplete = 'off',
    inputmode,
    maxlength,
    letters,
    proposed = [],
  } = options
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter((one) => one !== '').join(' ')
  const attributes = html`${[
    described ? html` aria-describedby="${described}"` : null,
    error ? html` aria-invalid="true" autofocus` : null,
    required ? html` required` : null,
    inputmode ? html` inputmode="${inputmode}"` : null,
    maxlength ? html` maxlength="${maxlength}"` : null,
    letters ? html` class="letters"` : null,
    proposed.length > 0 ? html` list="${id}-proposed"` : null,
  ]}`
  return html`<p class="field">
    <label for="${id}"
      >${label}${required ? null : html` <span class="optional">${message('form.optional')}</span>`}</label
    >
    ${hint ? html`<span class="hint" id="${id}-hint">${hint}</span>` : null}
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${type === 'password' ? '' : value}"
      autocomplete="${autocomplete}"
      ${attributes}
    />
    ${
      proposed.length > 0
        ? html`<datalist id="${id}-proposed">
            ${proposed.map((one) => html`<option value="${one}"></option>`)}
          </datalist>`
        : null
    }
    ${error ? html`<span class="error" id="${id}-error">${error}</span>` : null}
  </p>`
}

/**
 * Renders text that a person copies. One click selects the text. If the browser runs the script, a button copies the
 * text.
 */
export function copyable(text: Html): Html {
  return html`<span class="copy" data-copy="${message('copy.copy')}" data-copied="${message('copy.copied')}"
    >${text}</span
  >`
}

/** Lets a long URL break after its slashes, but not inside `https://`. */
export const breakable = (url: string): Html =>
  html`<bdi>${url.split(/(?<=[^:/]\/)/).map((part, n) => html`${n > 0 ? html`<wbr />` : null}${part}`)}</bdi>`

/**
 * Renders the text of commands. Browsers break a line after any hyphen, even in `--out` or a UUID, and break a URL
 * inside its port. This function keeps each option, UUID and URL on one line.
 */
export const commandText = (commands: string): Html[] =>
  commands
    .split(/(https?:\/\/[^\s/]+|--\w\S*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/)
    .map((part, at) => (at % 2 === 0 ? html`${part}` : html`<span class="word">${part}</span>`))

/** Renders commands as a block that a person copies. `label` names the block. */
export function commandBlock(label: Html, commands: string): Html {
  return html`<div class="copy" data-copy="${message('copy.copy')}" data-copied="${message('copy.copied')}">
    <pre tabindex="0" role="region" aria-label="${label}"><code>${commandText(commands)}</code></pre>
  </div>`
}

/** Returns the URL that opens a new message to an e-mail address (RFC 6068), with these fields filled in. */
export function mailUrl(address: string, fields: { readonly subject?: string; readonly text?: string } = {}): string {
  const encode = (text: string): string => encodeURIComponent(text.toWellFormed().replaceAll('\n', '\r\n'))
  const { subject, text } = fields
  const query = Object.entries({ subject, body: text }).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encode(value)}`,
  )
  return `mailto:${encode(address).replaceAll('%40', '@')}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

/** Renders an e-mail address that opens a new message. */
export function mailLink(address: string, subject?: Html): Html {
  return html`<a href="${mailUrl(address)}${subject && html`?subject=${subject}`}">${address}</a>`
}

/** Renders a message about the whole form, which screen readers announce. */
export function notice(kind: 'error' | 'done' | 'info', text: string | Html): Html {
  return html`<p class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}">${text}</p>`
}

/**
 * Renders a list of the invalid fields of a form, each with a link to the field. The list takes the focus when the page
 * is opened.
 */
export function fieldErrors(errors: readonly (readonly [id: string, error: Html])[]): Html {
  return html`<div class="notice error" role="alert" tabindex="-1" autofocus>
    <p>${message('form.fields', { count: errors.length })}</p>
    <ul>
      ${errors.map(([id, error]) => html`<li><a href="#${id}">${error}</a></li>`)}
    </ul>
  </div>`
}

/** Renders the error of a form whose fields are invalid. The error takes the focus when the page is opened. */
export function formError(text: Html = message('form.checkFields')): Html {
  return html`<p class="notice error" role="alert" tabindex="-1" autofocus>${text}</p>`
}

/** Renders figures side by side. The name is above each figure, and a note, if any, is below. */
export function stats(
  figures: readonly (readonly [name: string | Html, figure: string | Html, note?: string | Html | undefined])[],
  label?: string | Html,
): Html {
  return html`<dl class="stats" ${label === undefined ? null : html`aria-label="${label}"`}>
    ${figures.map(
      ([name, figure, note]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${figure}</dd>
          ${note === undefined ? null : html`<dd class="note">${note}</dd>`}
        </div>`,
    )}
  </dl>`
}

/** Renders the time of day in UTC to the second, for a page that is loaded again after some seconds. */
export function timeOfDay(now: number): Html {
  const iso = timestamp(now)
  return html`<time datetime="${iso}">${iso.slice(11, 19)}</time>`
}

/** Renders a time in UTC to the minute. `iso` is a timestamp of the service. */
export function time(iso: string): Html {
  return html`<time datetime="${iso}">${new Html(writeMark('time', iso))}</time>`
}
