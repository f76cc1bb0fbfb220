import { plainText } from './hidden.ts'

/** A piece of HTML that is safe to send: every value in it was escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as HTML text or as the value of a quoted attribute. */
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

/** Most values are plain ASCII and need no second look. */
function visible(text: string): string {
  return /[^\n\x20-\x7e]/.test(text) ? plainText(text) : text
}

/**
 * A template whose values are escaped: `` html`<p>${name}</p>` ``. Control, bidirectional and other unseen characters are taken out of
 * them (`plainText`), so that a stranger's text neither turns a line round nor hides a part of itself. Null, undefined and false show
 * nothing; lists are joined.
 */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, i) => text + show(values[i - 1]) + part))
}
