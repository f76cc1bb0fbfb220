import type { Kept, Mailbox } from './mail.ts'
import { pagePolicy, type Page } from './own.ts'

const style = `
:root { color-scheme: light dark } body { margin: 0 auto; padding: 1.5rem 1rem; max-width: 44rem; font: 1rem/1.5 system-ui, sans-serif }
article { border: 1px solid light-dark(#d5d9de, #3a4149); border-radius: .5rem; padding: .5rem 1rem; margin: 1rem 0 }
h2 { font-size: 1rem; margin: .25rem 0 } p { margin: .25rem 0; opacity: .8 } pre { white-space: pre-wrap; overflow-wrap: anywhere; font: .9375rem/1.5 ui-monospace, monospace }
`

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Links of a mail are links on the page, as in a mail program. Only after escaping, so that nothing else can come of it. */
const linked = (text: string): string => escape(text).replace(/https?:\/\/[^\s<>&]+(?:&#38;[^\s<>&]+)*/g, (url) => `<a href="${url}">${url}</a>`)

const article = ({ to, subject, text, at }: Kept): string =>
  `<article><h2>${escape(subject)}</h2><p>to ${escape(to)}, <time datetime="${at}">${at}</time></p><pre>${linked(text)}</pre></article>`

/** The pages of the development mailbox (decisions section 12). */
export function mailboxPages(mailbox: Mailbox): Readonly<Record<string, () => Page>> {
  return {
    '/dev/mail.json': () => ({ type: 'application/json', body: JSON.stringify(mailbox.mails) }),
    '/dev/mail': () => ({
      type: 'text/html; charset=utf-8', headers: pagePolicy(style),
      body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Mail · Tributary dev</title><style>${style}</style></head>
<body><h1>Mail</h1><p>What would have been mailed, newest first. Reload to look again; <a href="mail.json">as JSON</a>.</p>
<main>${mailbox.mails.length > 0 ? mailbox.mails.map(article).join('\n') : '<p>Nothing yet.</p>'}</main></body></html>
`,
    }),
  }
}
