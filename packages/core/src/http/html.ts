import { plainText } from './text.ts'

/** HTML whose values are escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for HTML text or the value of a quoted attribute. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
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
 * Makes HTML from a template and escapes its values: `` html`<p>${name}</p>` ``. Control, bidirectional and other invisible characters
 * are removed from values (`plainText`), so that another person's text neither reverses a line nor hides a part of itself. Null,
 * undefined and false are empty; lists are joined.
 */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, i) => text + show(values[i - 1]) + part))
}

/** The frame of a page around its content. */
export interface PageFrame {
  readonly title: string
  /** The mount prefix, which every link starts with. */
  readonly prefix: string
  /** The e-mail address of the person who is signed in. */
  readonly email?: string | null
  readonly signedIn?: boolean
  /** The page's own path, so that its link in the navigation is marked as current. */
  readonly here?: string
  /** Whether the page is wide, for tables. */
  readonly wide?: boolean
  /** Replaces the links of the account. */
  readonly nav?: Html
  /** The title of the browser's tab; default: the heading. */
  readonly tab?: string
  readonly main: Html
}

/** The logo, two streams that join, inline in the page. */
const mark = html`<svg
  viewBox="0 0 24 24"
  width="22"
  height="22"
  aria-hidden="true"
  fill="none"
  stroke="currentColor"
  stroke-width="2.6"
  stroke-linecap="round"
>
  <path d="M5 3c0 7 7 6 7 12v6" />
  <path d="M19 3c0 5-4 6-6 9" />
</svg>`
/** The logo as a data URL, for the browser's tab. */
export const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#1f87a3" stroke-width="3" stroke-linecap="round"><path d="M5 3c0 7 7 6 7 12v6"/><path d="M19 3c0 5-4 6-6 9"/></svg>')}`

/** Renders a page: one column, a skip link, a heading, no script. Its style sheet is `/assets/tributary.css`. */
export function page({ title, prefix, email, signedIn, here, wide, nav, tab, main }: PageFrame): string {
  const link = (path: string, name: string): Html =>
    html`<a href="${prefix}${path}" ${path === here ? html` aria-current="page"` : null}>${name}</a>`
  const account =
    nav ??
    (signedIn
      ? html`${link('/traces', 'Traces')} ${link('/account', 'Account')}
          <form method="post" action="${prefix}/sign-out">
            <button class="plain" title="${email ?? null}">Sign out</button>
          </form>`
      : link('/sign-in', 'Sign in'))
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${tab ?? title} · Tributary</title>
        <link rel="icon" href="${icon}" />
        <link rel="stylesheet" href="${prefix}/assets/tributary.css" />
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <div>
            <a class="brand" href="${prefix}/traces">${mark}Tributary</a>
            <nav aria-label="Account">${account}</nav>
          </div>
        </header>
        <main id="main" tabindex="-1" ${wide ? html` class="wide"` : null}>
          <h1>${title}</h1>
          ${main}
        </main>
      </body>
    </html> `.text
}

/** Renders a labelled field of a form. Hint and error are linked to the input for screen readers. */
export function field(options: {
  name: string
  label: string
  type?: string
  value?: string | undefined
  hint?: string
  error?: string | undefined
  required?: boolean
  autocomplete?: string
  inputmode?: string
  maxlength?: number
  /** Whether the value is a code, shown in wide letters. */
  letters?: boolean
}): Html {
  const {
    name,
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
  } = options
  const described = [hint ? `${name}-hint` : '', error ? `${name}-error` : ''].filter((id) => id !== '').join(' ')
  const attributes = html`${described ? html` aria-describedby="${described}"` : null}${error ? html` aria-invalid="true"` : null}${required ? html` required` : null}${inputmode ? html` inputmode="${inputmode}"` : null}${maxlength ? html` maxlength="${maxlength}"` : null}${letters ? html` class="letters"` : null}`
  return html`<p class="field">
    <label for="${name}">${label}${required ? null : html` <span class="optional">(optional)</span>`}</label>
    ${hint ? html`<span class="hint" id="${name}-hint">${hint}</span>` : null}
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${type === 'password' ? '' : value}"
      autocomplete="${autocomplete}"
      ${attributes}
    />
    ${error ? html`<span class="error" id="${name}-error">${error}</span>` : null}
  </p>`
}

/** Renders a message about the whole form, which screen readers announce. */
export function notice(kind: 'error' | 'done' | 'info', text: string | Html): Html {
  return html`<p class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}">${text}</p>`
}

/** Renders a time in UTC to the minute. `iso` is a timestamp of the service. */
export function time(iso: string): Html {
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)}</time>`
}
