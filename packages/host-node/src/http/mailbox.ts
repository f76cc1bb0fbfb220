import type { PlainRequest } from '@tributary/core'
import type { Mailbox, ReceivedMail } from '../mail.ts'
import { pagePolicy, type Page } from './page.ts'
import { hasLoopbackHost } from './metrics-access.ts'

const style = `
:root { color-scheme: light dark; --soft: light-dark(#55606e, #a3aeba); --line: light-dark(#d9dde1, #303a45); --accent: light-dark(#0b5f77, #6cc5dd) }
* { box-sizing: border-box } body { margin: 0; background: light-dark(#fcfcfa, #12171d); color: light-dark(#1b2430, #e6eaee); font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; overflow-wrap: anywhere }
main { margin: 0 auto; padding: 2.25rem 1.25rem 5rem; max-width: 44rem } h1 { font-size: 2rem; letter-spacing: -.02em; margin: 0 0 .5rem } a { color: var(--accent); text-underline-offset: .18em }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px }
article { background: light-dark(#fff, #1a2129); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1.25rem; margin: 1.25rem 0 }
h2 { font-size: 1.05rem; margin: .25rem 0 } article p { margin: .25rem 0; font-size: .9rem; color: var(--soft) } pre { white-space: pre-wrap; font: .9375rem/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace }
`

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Renders URLs as links. Runs after escaping, so that nothing else becomes markup. */
const renderLinks = (text: string): string =>
  escape(text).replace(/https?:\/\/[^\s<>&]+(?:&#38;[^\s<>&]+)*/g, (url) => `<a href="${url}">${url}</a>`)

const renderMail = ({ to, subject, text, at }: ReceivedMail): string =>
  `<article><h2>${escape(subject)}</h2><p>to ${escape(to)}, <time datetime="${at}">${at}</time></p><pre>${renderLinks(text)}</pre></article>`

/**
 * Returns the pages of the development mailbox. It contains sign-in codes, so it is shown only
 * under a loopback host name.
 */
export function mailboxPages(mailbox: Mailbox): Readonly<Record<string, (request: PlainRequest) => Page>> {
  const onLoopback =
    (page: () => Page) =>
    (request: PlainRequest): Page =>
      hasLoopbackHost(request)
        ? page()
        : { status: 404, type: 'application/json', body: '{"ok":false,"error":"not_found"}' }
  return {
    '/dev/mail.json': onLoopback(() => ({ type: 'application/json', body: JSON.stringify(mailbox.mails) })),
    '/dev/mail': onLoopback(() => ({
      type: 'text/html; charset=utf-8',
      headers: pagePolicy(style),
      body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Mail · Tributary dev</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body><main><h1>Mail</h1><p>Mails that were sent, newest first. Reload to update; <a href="mail.json">as JSON</a>.</p>
${mailbox.mails.length > 0 ? mailbox.mails.map(renderMail).join('\n') : '<p>No mails yet.</p>'}</main></body></html>
`,
    })),
  }
}
