import { html, type Html } from './html.ts'

/** What every page of ours looks like around its own part. */
export interface PageFrame {
  readonly title: string
  /** The mount prefix, before every address of ours. */
  readonly prefix: string
  /** Who is signed in; shows the way to their traces and out. */
  readonly email?: string | null
  readonly signedIn?: boolean
  readonly main: Html
}

/** A whole page as text: one column, a skip link, a heading, no script. The style sheet is `/assets/tributary.css`. */
export function page({ title, prefix, email, signedIn, main }: PageFrame): string {
  const account = signedIn
    ? html`<a href="${prefix}/traces">Your traces</a>
      <form method="post" action="${prefix}/sign-out"><button class="plain" title="${email ?? null}">Sign out</button></form>`
    : html`<a href="${prefix}/sign-in">Sign in</a>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Tributary</title>
<link rel="stylesheet" href="${prefix}/assets/tributary.css">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><a class="brand" href="${prefix}/traces">Tributary</a><nav aria-label="Account">${account}</nav></header>
<main id="main" tabindex="-1">
<h1>${title}</h1>
${main}
</main>
</body>
</html>
`.text
}

/** One labelled field of a form. An error is tied to its input, so that a screen reader says both. */
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
}): Html {
  const { name, label, type = 'text', value = '', hint, error, required = true, autocomplete = 'off', inputmode, maxlength } = options
  const described = [hint ? `${name}-hint` : '', error ? `${name}-error` : ''].filter((id) => id !== '').join(' ')
  const attributes = html`${described ? html` aria-describedby="${described}"` : null}${error ? html` aria-invalid="true"` : null}${required ? html` required` : null}${inputmode ? html` inputmode="${inputmode}"` : null}${maxlength ? html` maxlength="${maxlength}"` : null}`
  return html`<p class="field"><label for="${name}">${label}${required ? null : html` <span class="optional">(optional)</span>`}</label>
${hint ? html`<span class="hint" id="${name}-hint">${hint}</span>` : null}
<input id="${name}" name="${name}" type="${type}" value="${type === 'password' ? '' : value}" autocomplete="${autocomplete}"${attributes}>
${error ? html`<span class="error" id="${name}-error">${error}</span>` : null}</p>`
}

/** What went wrong or right with the whole form, said at once by screen readers. */
export function notice(kind: 'error' | 'done' | 'info', text: string | Html): Html {
  return html`<p class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}">${text}</p>`
}
