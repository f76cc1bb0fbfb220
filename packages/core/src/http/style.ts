/**
 * The one style sheet of our pages: light and dark by what the browser prefers, one column, the platform's own fonts. All
 * text has a contrast of 4.5 to 1 or more, lines of controls 3 to 1 (WCAG 2.2 AA).
 */
export const stylesheet = `:root {
  color-scheme: light dark;
  --paper: #fcfcfa; --raised: #ffffff; --ink: #1b2430; --soft: #55606e; --line: #d9dde1; --control: #7c8794;
  --accent: #0b5f77; --accent-ink: #ffffff; --wash: #e6f1f4; --bad: #a3211b; --bad-wash: #fbeae8; --good: #1c6432; --good-wash: #e6f3e9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12171d; --raised: #1a2129; --ink: #e6eaee; --soft: #a3aeba; --line: #303a45; --control: #76828f;
    --accent: #6cc5dd; --accent-ink: #08222b; --wash: #17303a; --bad: #ff9c92; --bad-wash: #3b1f1e; --good: #83d19a; --good-wash: #17301f;
  }
}
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; overflow-wrap: break-word }
a { color: var(--accent); text-underline-offset: .18em }
a:hover { text-decoration-thickness: 2px }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px }
main:focus { outline: none }
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--raised); padding: .6rem 1rem; z-index: 1 }
.skip:focus { top: .5rem }
body > header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; justify-content: space-between; max-width: 60rem; margin: 0 auto; padding: 1rem 1.25rem; border-bottom: 1px solid var(--line) }
.brand { font-weight: 700; letter-spacing: -.01em; color: var(--ink); text-decoration: none }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: center }
nav form { display: contents }
nav [aria-current] { font-weight: 700; color: inherit; text-decoration: none }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem }
h1 { font-size: clamp(1.6rem, 1.2rem + 2vw, 2.2rem); line-height: 1.2; letter-spacing: -.02em; margin: .5rem 0 1.25rem; text-wrap: balance }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 .75rem }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem }
p, ul, ol, dl, main > form { max-width: 40rem }
.hint, .optional, figcaption, caption { color: var(--soft); font-size: .9rem; font-weight: 400 }
.field { margin: 1.25rem 0; display: grid; gap: .35rem }
label, legend { font-weight: 600 }
fieldset { border: 1px solid var(--line); border-radius: 8px; padding: .5rem 1rem 1rem; margin: 1.25rem 0 }
input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea { width: 100%; min-height: 2.75rem; padding: .55rem .75rem; font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--control); border-radius: 8px }
textarea { min-height: 7rem; resize: vertical }
input[type=checkbox], input[type=radio] { width: 1.2rem; height: 1.2rem; margin: 0 .5rem 0 0; vertical-align: -.2rem; accent-color: var(--accent) }
[aria-invalid=true] { border-color: var(--bad) !important; border-width: 2px !important }
.error { color: var(--bad); font-weight: 600 }
.error::before { content: '\\26A0\\FE0E  ' }
button, .button { display: inline-block; min-height: 2.75rem; padding: .55rem 1.2rem; font: inherit; font-weight: 600; line-height: 1.5; text-decoration: none; color: var(--accent-ink); background: var(--accent); border: 1px solid var(--accent); border-radius: 8px; cursor: pointer }
button:hover, .button:hover { filter: brightness(1.08) }
button.second, button.danger { background: transparent; color: var(--accent) }
button.danger { color: var(--bad); border-color: var(--bad) }
button.plain { min-height: 0; padding: 0; font-weight: 400; color: var(--accent); background: none; border: 0; text-decoration: underline; text-underline-offset: .18em }
button[disabled] { color: var(--soft); background: transparent; border-color: var(--line); cursor: not-allowed; filter: none }
.choice, .actions { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 }
.notice { max-width: 40rem; margin: 1.25rem 0; padding: .75rem 1rem; background: var(--wash); border-left: 4px solid var(--accent); border-radius: 0 8px 8px 0 }
.notice.error { color: inherit; font-weight: 400; background: var(--bad-wash); border-color: var(--bad) }
.notice.error::before { content: none }
.notice.done { background: var(--good-wash); border-color: var(--good) }
.code { margin: 1.5rem 0; padding: 1.1rem .5rem; text-align: center; font: 600 clamp(1.7rem, 9vw, 3.2rem)/1.2 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; letter-spacing: .1em; white-space: nowrap; background: var(--raised); border: 2px solid var(--line); border-radius: 12px; user-select: all }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.25rem }
dt { color: var(--soft) }
dd { margin: 0; min-width: 0 }
code, pre { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: .92em }
pre { overflow-x: auto; padding: .9rem 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: 8px }
.table { overflow-x: auto; margin: 1.25rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--raised) }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .6rem .85rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
th { font-size: .85rem; color: var(--soft); white-space: nowrap }
tbody th { color: inherit; font-size: inherit; white-space: normal; overflow-wrap: anywhere }
tbody th small { font-weight: 400; color: var(--soft) }
.table caption { padding: .75rem .85rem .25rem; text-align: left }
td time { white-space: nowrap }
tbody tr:last-child > * { border-bottom: 0 }
td.number, th.number { text-align: right }
.tag { display: inline-block; padding: .05rem .55rem; font-size: .85rem; border: 1px solid var(--control); border-radius: 99px; white-space: nowrap }
.tag.good { color: var(--good); border-color: var(--good) }
.tag.bad { color: var(--bad); border-color: var(--bad) }
.hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@media (max-width: 46rem) {
  .stack, .stack caption, .stack tbody, .stack tr, .stack th, .stack td { display: block }
  .stack thead { display: none }
  .stack tr { padding: .5rem 0; border-top: 1px solid var(--line) }
  .stack tbody th, .stack td { padding: .2rem .85rem; border: 0 }
  .stack td.number { text-align: left }
  .stack td::before { content: attr(data-label) ': '; color: var(--soft) }
}
@media (max-width: 30rem) {
  dl { grid-template-columns: 1fr; gap: 0 }
  dd { margin-bottom: .75rem }
  .choice > button, main > form > p > button:not(.plain) { width: 100% }
}
@media (prefers-reduced-motion: no-preference) { button, a { transition: filter .12s } }
@media print { body > header, form { display: none } }
`
