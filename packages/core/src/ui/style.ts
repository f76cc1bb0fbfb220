/**
 * The one style sheet of all pages: light or dark as the browser prefers, one column (a wide one for tables), the
 * platform's own fonts. All text has a contrast of 4.5 to 1 or more, and borders of controls of 3 to 1 (WCAG 2.2 AA).
 */
export const stylesheet: string = `:root {
  color-scheme: light dark;
  --paper: #fcfcfa; --raised: #ffffff; --ink: #1b2430; --soft: #55606e; --line: #d9dde1; --control: #7c8794;
  --accent: #0b5f77; --accent-ink: #ffffff; --wash: #e6f1f4; --bad: #a3211b; --bad-wash: #fbeae8; --good: #1c6432;
  --good-wash: #e6f3e9; --mark: #fdf0c8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12171d; --raised: #1a2129; --ink: #e6eaee; --soft: #a3aeba; --line: #303a45; --control: #76828f;
    --accent: #6cc5dd; --accent-ink: #08222b; --wash: #17303a; --bad: #ff9c92; --bad-wash: #3b1f1e; --good: #83d19a;
    --good-wash: #17301f; --mark: #4a3c10;
  }
}
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding: 1rem 0 6rem }
html:has(.bar) { scroll-padding-top: 6.5rem }
body {
  display: flex; flex-direction: column; min-height: 100vh; min-height: 100dvh;
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; overflow-wrap: break-word
}
[hidden] { display: none !important }
a { color: var(--accent); text-underline-offset: .18em }
a:hover { text-decoration-thickness: 2px }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px }
main:focus { outline: none }
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--raised); padding: .6rem 1rem; z-index: 1 }
.skip:focus { top: .5rem }
body > header { background: var(--raised); border-bottom: 1px solid var(--line) }
body > header > div {
  display: flex; flex-wrap: wrap; gap: .35rem 1.5rem; align-items: center; justify-content: space-between;
  max-width: 72rem; min-height: 3.45rem; margin: 0 auto; padding: .8rem 1.25rem
}
.brand {
  display: inline-flex; gap: .5rem; align-items: center; padding: .15rem 0; font-weight: 700; letter-spacing: -.01em;
  color: var(--ink);
  text-decoration: none
}
.brand svg { color: var(--accent) }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: center }
nav form { display: contents }
nav bdi { overflow-wrap: anywhere }
nav a { text-decoration: none; padding: .15rem 0 }
nav a:hover { text-decoration: underline }
nav [aria-current] { font-weight: 700; color: inherit; text-decoration: none }
body > header [aria-current] { box-shadow: 0 2px 0 var(--accent) }
.tabs { margin: 0 0 1.75rem; gap: .25rem 1.5rem; border-bottom: 1px solid var(--line) }
.tabs a { padding: .55rem 0; margin-bottom: -1px; border-bottom: 3px solid transparent }
.tabs [aria-current] { border-color: var(--accent) }
.filters { gap: .5rem; margin: 1rem 0 }
.filters a { padding: .2rem .8rem; border: 1px solid var(--line); border-radius: 99px }
.filters [aria-current] { background: var(--wash); border-color: var(--accent) }
main { flex: 1 0 auto; width: 100%; max-width: 44rem; margin: 0 auto; padding: 2.25rem 1.25rem 5rem }
main.wide { max-width: 72rem }
h1 {
  font-size: clamp(1.7rem, 1.3rem + 2vw, 2.3rem); line-height: 1.2; letter-spacing: -.02em; margin: 0 0 1.25rem;
  text-wrap: balance
}
h2 { font-size: 1.25rem; line-height: 1.3; letter-spacing: -.01em; margin: 2.75rem 0 .75rem }
h3 { font-size: 1rem; margin: 2rem 0 .5rem }
p, ul, ol, dl, main form { max-width: 40rem }
li + li { margin-top: .25rem }
.lead { max-width: 46rem; font-size: 1.15rem; color: var(--soft) }
.panel {
  max-width: 44rem; margin: 1.25rem 0 1.75rem; padding: 1.1rem 1.25rem; background: var(--wash); border-radius: 8px
}
.panel > :is(h2, p:first-child, p:last-child) { margin: 0 }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 0 3.5rem }
.columns > * { min-width: 0 }
.pairs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: .9rem 1.5rem }
.pairs > .field { margin: 0; align-content: start }
.pairs + .check { margin: .9rem 0 }
.jump { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0 0 1rem; color: var(--soft) }
.links {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .75rem; max-width: none;
  margin: 1.25rem 0; padding: 0; list-style: none
}
.links li {
  margin: 0; padding: .8rem 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: 8px
}
.links a { font-weight: 600 }
.links small { display: block; margin-top: .15rem; color: var(--soft); font-size: .9rem }
.hint, .optional, figcaption, caption { color: var(--soft); font-size: .9rem; font-weight: 400 }
.field { margin: 1.4rem 0; display: grid; gap: .35rem }
.check label { display: grid; grid-template-columns: auto 1fr; align-items: start }
.check label input { margin-top: .2rem }
.check .hint, .check .error { padding-left: 1.7rem }
label, legend { font-weight: 600 }
fieldset {
  min-width: 0; border: 1px solid var(--line); border-radius: 8px; padding: .5rem 1rem 1rem; margin: 1.25rem 0
}
input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea {
  width: 100%; min-height: 2.75rem; padding: .55rem .75rem; font: inherit; color: inherit; background: var(--raised);
  border: 1px solid var(--control); border-radius: 8px
}
input[autocomplete=one-time-code], input.letters {
  max-width: 14rem; font: 600 1.3rem/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  letter-spacing: .12em
}
input[inputmode=decimal], input[inputmode=numeric], input[type=datetime-local] { max-width: 18rem }
textarea { min-height: 7rem; resize: vertical }
input[type=checkbox], input[type=radio] {
  width: 1.2rem; height: 1.2rem; margin: 0 .5rem 0 0; vertical-align: -.2rem; accent-color: var(--accent)
}
input[type=checkbox] {
  appearance: none; contain: layout; display: inline-grid; place-content: center; background: var(--raised);
  border: 2px solid var(--control); border-radius: 4px
}
input[type=checkbox]:checked { background: var(--accent); border-color: var(--accent) }
input[type=checkbox]:checked::before {
  content: ''; width: .7rem; height: .7rem; background: var(--accent-ink);
  clip-path: polygon(12% 46%, 0 60%, 42% 95%, 100% 20%, 86% 8%, 40% 70%)
}
input[type=checkbox]:disabled { opacity: .6; cursor: not-allowed }
@media (forced-colors: active) { input[type=checkbox] { appearance: auto } }
[aria-invalid=true] { border-color: var(--bad) !important; border-width: 2px !important }
.error { color: var(--bad); font-weight: 600 }
.error::before { content: '\\26A0\\FE0E  ' }
button, .button {
  display: inline-block; min-height: 2.75rem; padding: .55rem 1.2rem; font: inherit; font-weight: 600;
  line-height: 1.5; text-align: center; text-decoration: none; color: var(--accent-ink); background: var(--accent);
  border: 1px solid var(--accent); border-radius: 8px; cursor: pointer
}
button:hover, .button:hover { filter: brightness(1.08) }
.second, .danger:is(button, .button) { background: transparent; color: var(--accent) }
.danger:is(button, .button) { color: var(--bad); border-color: var(--bad) }
.danger.final { color: var(--paper); background: var(--bad) }
button.plain {
  min-height: 0; padding: .15rem 0; font-weight: 400; color: var(--accent); background: none; border: 0;
  text-decoration: underline; text-underline-offset: .18em
}
nav button.plain { text-decoration: none; line-height: inherit; vertical-align: baseline; border: 0 }
nav button.plain:hover { text-decoration: underline }
button.small, .button.small { min-height: 2.1rem; padding: .25rem .8rem; font-size: .95rem; white-space: nowrap }
button[disabled] {
  color: var(--soft); background: transparent; border-color: var(--line); cursor: not-allowed; filter: none
}
.choice > .field { flex-basis: 100%; margin: 0 }
.choice, .actions { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin: 1.5rem 0 }
.bar {
  position: sticky; top: 0; z-index: 1; max-width: none; margin: .5rem 0 0; background: var(--paper);
  border-bottom: 1px solid var(--line)
}
.choosable { display: flex; flex-direction: column }
.choosable > .bar { order: -1 }
.bar fieldset {
  display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: 0; padding: .75rem 0; border: 0
}
.bar legend { float: left; padding: 0 }
main { counter-reset: selected }
.pick :checked { counter-increment: selected }
.bar legend::after { content: ': ' counter(selected) }
main:has([name=all]) .bar legend::after { content: ': ' attr(data-all) }
main:not(:has(.pick :checked, [name=all])) .bar button { color: var(--soft); border-color: var(--line) }
.bar .actions { margin: 0 }
.review { display: grid; gap: .35rem; justify-items: start; min-width: 11rem }
:is(.review + details, small + .review) { margin-top: .5rem }
.review label { font-weight: 400 }
.review input { min-height: 2.1rem !important; padding: .25rem .5rem !important }
.steps { list-style: none; counter-reset: step; padding: 0; margin: .25rem 0; display: grid; gap: .1rem; flex: 1 }
.steps li {
  counter-increment: step; display: grid; grid-template-columns: 1.9rem 1fr auto; gap: .75rem; align-items: center;
  margin: 0; padding: .5rem .75rem; border-radius: 8px
}
.steps li::before {
  content: counter(step); width: 1.9rem; height: 1.9rem; line-height: 1.7rem; text-align: center; font-weight: 600;
  color: var(--soft); border: 1.5px solid var(--control); border-radius: 50%
}
.steps li.done::before { content: '\\2713'; color: var(--good); border-color: var(--good) }
.steps li.here { background: var(--wash) }
.steps li.here::before { color: var(--accent-ink); background: var(--accent); border-color: var(--accent) }
.steps small { color: var(--soft); font-size: .9rem }
.notice {
  max-width: 40rem; margin: 1.25rem 0; padding: .75rem 1rem; background: var(--wash);
  border-left: 4px solid var(--accent); border-radius: 0 8px 8px 0
}
.notice.error { color: inherit; font-weight: 400; background: var(--bad-wash); border-color: var(--bad) }
.notice.error::before { content: none }
.notice:focus-visible { outline-offset: 3px; border-radius: 8px }
.notice > :is(p, ul) { margin: 0 }
.notice > h2 { margin: 0 0 .35rem; font-size: 1rem }
.notice.done { background: var(--good-wash); border-color: var(--good) }
.code {
  margin: 1.5rem 0; padding: 1.1rem .5rem; text-align: center;
  font: 600 clamp(1.7rem, 9vw, 3.2rem)/1.2 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  letter-spacing: .1em; white-space: nowrap; background: var(--raised); border: 2px solid var(--line);
  border-radius: 12px; user-select: all
}
span.copy > :is(a, code) { min-width: 0; overflow-wrap: anywhere; user-select: all }
span.copy { display: inline-flex; flex-wrap: wrap; gap: .25rem .6rem; align-items: center; max-width: 100% }
span.copy > button { min-height: 1.7rem; padding: 0 .6rem; font-size: .85rem }
div.copy { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .25rem .5rem; align-items: start;
  max-width: 52rem; margin: 1rem 0 }
div.copy > pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.25rem }
dt { color: var(--soft) }
dd { margin: 0; min-width: 0; overflow-wrap: break-word }
code, pre { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: .92em }
pre {
  overflow-x: auto; padding: .9rem 1rem; background: var(--raised); border: 1px solid var(--line);
  border-radius: 8px
}
.table {
  overflow-x: auto; margin: 1.25rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--raised)
}
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .6rem .85rem; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line) }
th code { font-size: .82rem; font-weight: 400 }
.whole { white-space: nowrap }
.word { display: inline-block; max-width: 100% }
th { font-size: .85rem; color: var(--soft); white-space: nowrap }
tbody th { color: inherit; font-size: inherit; white-space: normal; overflow-wrap: anywhere }
tbody pre { white-space: pre-wrap; overflow-wrap: anywhere; font-weight: 400 }
td bdi, td small, td code:not(.whole), dd code { overflow-wrap: anywhere }
tbody th :is(.sentence, .tag) { font-weight: 400 }
tbody th .sentence strong { font-weight: 600 }
tbody th a { text-decoration: none }
tbody th a:hover { text-decoration: underline }
tbody th small { font-weight: 400; color: var(--soft) }
thead th::first-letter { text-transform: uppercase }
.table caption { padding: .75rem .85rem .25rem; text-align: left }
td time { white-space: nowrap }
td small, th small { display: block }
q, td, th, small { unicode-bidi: isolate }
td.pick { width: 1%; padding-right: 0 }
tbody tr:last-child > * { border-bottom: 0 }
td.number, th.number { text-align: right }
figure { margin: 1.25rem 0 }
.scale {
  display: flex; justify-content: space-between; max-width: none; margin: 0 0 .15rem; color: var(--soft);
  font-size: .85rem; font-variant-numeric: tabular-nums
}
.scale:first-child { margin: 0; border-bottom: 1px dashed var(--line) }
.bars { display: block; width: 100%; height: 10rem; border-bottom: 1px solid var(--line) }
.bars rect { fill: var(--accent) }
.bars .none { fill: var(--line) }
summary { cursor: pointer }
.tag {
  display: inline-block; padding: .05rem .55rem; font-size: .85rem; border: 1px solid var(--control);
  border-radius: 99px; white-space: nowrap
}
.tag::first-letter { text-transform: uppercase }
.tag.quiet { color: var(--soft); border-style: dashed }
.tag.good { color: var(--good); border-color: var(--good) }
.tag.bad { color: var(--bad); border-color: var(--bad) }
.trail { margin: 0 0 .5rem; font-size: .95rem }
.trail a:not(:hover) { text-decoration: none }
.trail a::before { content: '\\2190\\00A0' }
.progress {
  display: flex; flex-wrap: wrap; gap: .25rem .75rem; max-width: 40rem; margin: 0 0 1.75rem; padding: .5rem .9rem;
  background: var(--wash); border-radius: 8px
}
.progress span { font-weight: 600 }
.progress p { max-width: none; margin: 0 }
.progress small { color: var(--soft); font-size: .9rem }
progress { display: block; width: 100%; max-width: 24rem; height: .8rem; margin: .5rem 0; accent-color: var(--accent) }
.facts {
  max-width: none; display: flex; flex-wrap: wrap; gap: .35rem 1.25rem; align-items: center; margin: -.5rem 0 1rem;
  color: var(--soft)
}
.stats {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1px; max-width: none;
  margin: 1.25rem 0; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; overflow: hidden
}
.stats > div { padding: .8rem 1rem; outline: 1px solid var(--line) }
@media (max-width: 27rem) { .stats > :last-child:nth-child(odd) { grid-column: 1 / -1 } }
.stats dt { font-size: .9rem }
.stats dd { margin: 0; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums }
.stats dd:not(.note) { min-height: 2.1rem }
.stats dd:not(.note):has(time) { padding-top: .35rem; font-size: 1rem; line-height: 1.4 }
.stats dd.note { font-size: .85rem; font-weight: 400; color: var(--soft) }
.counts { display: flex; flex-wrap: wrap; gap: .4rem; max-width: none; padding: 0; list-style: none }
.counts li { margin: 0; padding: .1rem .7rem; font-size: .9rem; background: var(--wash); border-radius: 99px }
.counts.removed li { background: var(--mark) }
.count { color: var(--soft); font-weight: 400 }
.search { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; max-width: none; margin: 1rem 0 1.25rem }
.search .field { margin: 0; flex: 1 1 9rem; max-width: none }
.search .field > input { max-width: none }
.search input:not([type=checkbox]), .search select { height: 2.75rem }
.search .grow { flex: 3 1 14rem }
.search .actions { margin: 0 }
@media (min-width: 46.01rem) { .search:has(#agent) .field { flex-basis: 13rem } }
/* The field stays beside its button, even on a phone. */
.search.days > .grow { flex-basis: 9rem }
.search .more { flex: 1 1 100%; max-width: none; margin: 0 }
.search .more > div { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; padding-top: .5rem }
.search .field:has(.error) { flex-basis: 16rem }
.search:has(.error) { align-items: start }
.search:has(.error) .actions { margin-top: 1.9rem }
.inline { display: inline-flex; align-items: center; font-weight: 400 }
.empty {
  max-width: none; padding: 2.5rem 1rem; text-align: center; border: 1px dashed var(--control); border-radius: 8px
}
.empty p { max-width: none; margin: .25rem 0 }
.pages { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0; color: var(--soft) }
mark { padding: 0 .2em; color: inherit; background: var(--mark); border-radius: 4px }
.turns { max-width: 56rem; margin: 1.25rem 0; padding: 0; list-style: none }
.turn {
  margin: 0 0 1rem !important; padding: .75rem 1rem 1rem; background: var(--raised); border: 1px solid var(--line);
  border-radius: 8px
}
.turn.user { background: var(--wash); border-color: transparent }
.turn > :is(h2, h3) { margin: 0 0 .5rem }
.turn h3 small { color: var(--soft); font-weight: 400 }
.turn .text { margin: .5rem 0; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext }
.example p { margin: .75rem 0 .25rem; color: var(--soft); font-size: .9rem }
.example pre { margin: 0; padding: .6rem .75rem; white-space: pre-wrap; overflow-wrap: anywhere }
.turn pre { margin: .5rem 0; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--paper) }
details { margin: .5rem 0 }
summary { padding: .25rem 0; font-weight: 600; cursor: pointer }
summary small { color: var(--soft); font-weight: 400 }
.hidden {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap
}
@media (min-width: 46.01rem) {
  .stack details > dl { min-width: min(24rem, 40vw) }
  tbody th { min-width: 14rem }
  .wide tbody th { min-width: 18rem }
  .wide details tbody th { min-width: 0 }
  .wide .section tbody th { min-width: 12rem }
  .wide .columns tbody th { min-width: 0 }
}
@media (max-width: 46rem) {
  .stack, .stack caption, .stack tbody, .stack tr, .stack th, .stack td { display: block }
  .stack thead { display: none }
  .stack caption { padding-bottom: .6rem }
  .stack tr {
    position: relative; display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; padding: .75rem .85rem;
    border-top: 1px solid var(--line)
  }
  .stack tbody th, .stack td { flex: 1 1 100%; padding: 0; border: 0 }
  .stack td:is(.number, :has(> :is(time, .tag):only-child)) { flex: 0 1 auto; text-align: left }
  .stack :is(bdi, small).whole { white-space: normal }
  .section .stack td:not(.pick) { flex: 1 1 100% }
  .section .stack td.number { flex: 0 0 calc(50% - .55rem) }
  /* The link of a row stays beside the time before it. */
  .section .stack :is(td:has(> time:only-child):has(+ .act > a:only-child), td.act:has(> a:only-child)) { flex: 0 1 auto }
  .stack td:is(:empty, :has(> .none:only-child)) { display: none }
  .stack td[data-label]::before { content: attr(data-label) ': '; color: var(--soft) }
  .stack td { font-size: .93rem }
  body:not(:has(.sections)) .stack td:has(> .tag)::before { content: none }
  .stack .tag { margin-block: .15rem }
  .stack td:has(> small) + .act { margin-top: .5rem }
  .stack summary { padding: .35rem 0 }
  .stack tr:has(.pick) { padding-left: 3.2rem }
  .stack td.pick { position: absolute; left: .85rem; width: auto }
  .narrow :is(th, td) { padding: .5rem; font-size: .93rem }
  .narrow thead th { font-size: .8rem; white-space: normal }
}
@media (max-width: 30rem) {
  main { padding-top: 1.25rem }
  h1 { font-size: 1.65rem }
  .stats > div { padding: .5rem .75rem }
  .stats dd:not(.note) { min-height: 0 }
  .search { margin: .6rem 0 1rem }
  .pairs { gap: .7rem }
  .pairs + .check { margin: .7rem 0 }
  .filters { gap: .3rem; margin: .6rem 0 }
  .filters a { padding: .1rem .45rem; font-size: .9rem }
  .row:has(+ .choosable) { margin: 0 }
  .choosable > .table { margin-top: .6rem }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0 }
  dd { margin-bottom: .75rem }
  body > header > div { min-height: 3.2rem; padding: .7rem 1rem }
  body > header nav { gap: .25rem .9rem; font-size: .95rem }
  body > header nav:has(a ~ form) { width: 100%; justify-content: space-between; flex-wrap: nowrap; gap: .5rem }
  body:has(.sections) > header > div { gap: .35rem .75rem }
  .role { padding: 0 .45rem; font-size: .85rem }
  .choice > :is(button, .button),
  :is(main, main > section, .section, .section > details) > form:not(.search) > p > button:not(.plain) { width: 100% }
  div.copy { grid-template-columns: minmax(0, 1fr) }
  div.copy > button { justify-self: start }
  .days .field { flex-basis: 8rem; grid-template-columns: minmax(0, 1fr) }
  .days .field:has(select) { flex: 1 1 100%; width: 100% }
  .days input[type=date] { padding-inline: .5rem }
  .bar { margin-inline: -.5rem; padding: 0 .5rem }
  .bar .actions { flex: 1 1 100%; gap: .35rem }
  .bar fieldset { gap: .35rem; padding: .5rem 0 }
  .bar legend { float: none; flex: 1 1 100%; font-size: .9rem }
  .bar button { flex: 1 1 auto; min-width: 0; min-height: 2.4rem; padding: .3rem .2rem; font-size: .8rem; white-space: nowrap }
}
@media (prefers-reduced-motion: no-preference) { button, a { transition: filter .12s } }
body > footer {
  width: 100%;
  max-width: 72rem; margin: 0 auto; padding: 1rem 1.25rem 2rem; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem;
  border-top: 1px solid var(--line)
}
.brand img { height: 22px; width: auto }
/* Five links of the account on one line of a small phone. */
@media (max-width: 22rem) { body > header nav:has(a ~ form) { font-size: .85rem; gap: .25rem } }
@media print { body > header, form { display: none } }
/* The pages of the operator: the sections beside the content, in a menu on a phone. */
main:has(> .sections), body:has(.sections) > header > div, body:has(.sections) > footer { max-width: 86rem }
main > .section > :first-child { margin-top: 0 }
.role { padding: .1rem .6rem; font-size: .9rem; color: var(--soft); border: 1px solid var(--line); border-radius: 99px }
.sections {
  inset: 3.4rem 1rem auto auto; width: min(20rem, calc(100vw - 2rem)); max-height: calc(100vh - 4.5rem); margin: 0;
  padding: .5rem; color: inherit; background: var(--raised); border: 1px solid var(--control); border-radius: 10px;
  box-shadow: 0 8px 30px rgb(0 0 0 / .25)
}
.sections:popover-open { display: block }
.sections:not(:popover-open) { display: none }
.sections::backdrop { background: rgb(0 0 0 / .3) }
.sections a {
  display: flex; justify-content: space-between; gap: .5rem; padding: .45rem .75rem;
  border-left: 3px solid transparent; border-radius: 0 6px 6px 0; color: var(--ink)
}
.sections [aria-current] { background: var(--wash); border-color: var(--accent) }
.badge {
  min-width: 1.6rem; padding: 0 .45rem; text-align: center; font-size: .85rem; font-weight: 600;
  font-variant-numeric: tabular-nums; background: var(--wash); border-radius: 99px
}
[aria-current] > .badge { background: var(--raised) }
@supports not selector(:popover-open) { .menu { display: none } }
@media (min-width: 64rem) {
  .menu { display: none }
  main:has(> .sections) { display: grid; grid-template: auto auto 1fr / 11.5rem minmax(0, 1fr); gap: 0 2rem }
  main:has(> .sections) > :is(h1, .trail, .section) { grid-column: 2 }
  .sections:not(:popover-open) {
    position: static; grid-row: 1 / span 3; grid-column: 1; display: block; width: auto; max-height: none;
    margin: .3rem 0 0 -.95rem; padding: 0; background: none; border: 0; box-shadow: none
  }
  .sections a { margin: 0 0 .1rem; padding: .35rem .75rem }
  .section th, .section td { padding: .6rem .65rem }
}
/* The API reference. */
.operation {
  margin: .5rem 0; padding: .25rem .9rem; background: var(--raised); border: 1px solid var(--line);
  border-radius: 8px
}
.operation pre { background: var(--paper) }
ol > li > pre { white-space: pre-wrap; overflow-wrap: anywhere; user-select: all }
.operation summary { color: inherit; font-weight: 400; overflow-wrap: anywhere }
.operation .method { font-weight: 700; color: var(--accent) }
.operation .what { display: block; margin: .1rem 0 .1rem 1rem }
@media (min-width: 64rem) {
  .operation summary code { display: inline-block; min-width: 27rem }
  .operation .what { display: inline; margin: 0 }
}
.operation .who { float: right; padding-left: 1rem; font-size: .85rem; color: var(--soft) }
.contents { display: block }
.contents ul { columns: 12rem; max-width: none; padding-left: 1.25rem }
.contents li { margin: 0; padding: .2rem 0; break-inside: avoid }
.number { white-space: nowrap }
.search { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin: 0 0 1.25rem }
.search label { flex: 1 1 12rem; font-weight: 400; font-size: .95rem }
.cards {
  list-style: none; display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .75rem;
  max-width: none; margin: 1rem 0; padding: 0
}
.cards li { margin: 0 }
.cards a {
  display: block; font-weight: 600; height: 100%; padding: .8rem 1.1rem; color: var(--accent); background: var(--raised);
  border: 1px solid var(--line); border-left: 4px solid var(--accent); border-radius: 8px; text-decoration: none
}
.cards .bad a { color: var(--bad); border-left-color: var(--bad) }
.cards a:hover { border-color: var(--accent); text-decoration: underline }
.cards strong { display: block; font-size: 1.6rem; line-height: 1.2; font-variant-numeric: tabular-nums }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1.25rem }
.chart {
  min-width: 0; margin: 0; padding: 1rem 1rem .6rem; background: var(--raised); border: 1px solid var(--line);
  border-radius: 8px
}
.chart details { margin: 0 }
.chart figcaption { color: inherit; font-size: 1rem; font-weight: 600 }
.chart .table { max-height: 24rem; overflow: auto; margin: .5rem 0 0 }
.chart th, .chart td { padding: .35rem .75rem }
.chart summary { font-weight: 400 }
summary { padding: .25rem 0; color: var(--accent); cursor: pointer }
.facts > * { min-width: 0; overflow-wrap: anywhere }
.section > pre { white-space: pre-wrap; overflow-wrap: anywhere }
.section fieldset > .check { margin: .75rem 0 }
h1 .url { display: block; font-size: .65em; overflow-wrap: anywhere }
.facts form { margin-left: auto; flex-wrap: wrap; gap: .35rem 0 }
.facts select { width: auto; min-height: 2.1rem; padding: .25rem .5rem; margin: 0 .5rem }
.facts label { font-weight: 400 }
.check label > span { min-width: 0; overflow-wrap: anywhere }
.check label { grid-template-columns: auto minmax(0, 1fr) }
.check small { display: block; color: var(--soft); font-weight: 400 }
.act > :is(form, .button) { display: inline-block; margin: 0 .35rem .35rem 0 }
.none { color: var(--soft) }
td details, th details { margin: 0 }
:is(td, th) summary { padding: 0; line-height: 1.5rem; white-space: nowrap; font-size: .85rem; font-weight: 400 }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 0 0 1.25rem; max-width: none }
.row > .button { max-width: 100%; white-space: normal; overflow-wrap: anywhere }
.row form { display: contents }
.row ul { margin: 0 }
.events { display: grid; gap: .6rem; margin: .5rem 0 0 }
.events label { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .6rem; align-items: start }
fieldset:has([name=which][value=all]:checked) .events { display: none }
.events small { display: block; font-weight: 400; color: var(--soft) }
form.parts, form:has(> .table) { max-width: none }
form.parts > fieldset {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 1.25rem 2rem;
  align-items: start; background: var(--raised); padding: 1rem 1.25rem 1.5rem
}
form.parts .field { margin: 0 }
@media (min-height: 500px) {
  form.parts[action$='/create'] > .actions {
    position: sticky; bottom: 0; flex-wrap: nowrap; max-width: none; margin: 0; padding: .75rem 0;
    background: var(--paper); border-top: 1px solid var(--line)
  }
}
form.parts :is(.preview, .field:has(#text), fieldset fieldset) { grid-column: 1 / -1; margin: 0; min-width: 0; max-width: none }
form.parts fieldset .hint { margin: 0 }
.boxes { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.4rem, 1fr)); gap: .5rem .25rem; margin: .5rem 0 0 }
.boxes label { font-weight: 400 }
.hint code { white-space: nowrap }
.terminal {
  max-width: none; padding: .6rem .9rem; overflow-wrap: anywhere; background: var(--raised);
  border: 1px solid var(--line); border-radius: 8px
}
form.parts > fieldset legend { padding: 0 .5rem; margin-left: -.5rem; font-size: 1.05rem }
.search .check { flex: 1 1 100% }
td form > input:not([type=hidden]) + button { margin-top: .5rem }
.preview figure { margin: .75rem 0 }
.preview > p:first-child { margin: 1.5rem 0 0 }
.preview > .hint { margin: 0 }
.preview pre { margin: .25rem 0 0; padding: .6rem .75rem; background: var(--paper) }
.preview code { display: block }
@media (max-width: 46rem) { .preview code { font-size: .68rem } }
[data-columns='40'] { width: 40ch }
[data-columns='80'] { width: 80ch }
[data-columns='120'] { width: 120ch }
.preview pre:has([data-columns]) { width: fit-content; max-width: 100% }
/* uPlot's own style sheet, without the rules that these charts do not use. */
.uplot, .uplot *, .uplot *::before, .uplot *::after { box-sizing: border-box }
.plot { overflow: hidden }
.uplot { font: .8rem/1.4 system-ui, sans-serif; width: min-content }
.u-wrap { position: relative; user-select: none }
.u-over, .u-under, .u-axis, .u-cursor-x, .u-cursor-pt { position: absolute }
.u-under { overflow: hidden }
.uplot canvas { display: block; position: relative; width: 100%; height: 100% }
.legend {
  display: flex; flex-wrap: wrap; gap: 0 1.25rem; min-height: 1.5em; margin: .25rem 0 .5rem; color: var(--soft);
  font-size: .9rem; font-variant-numeric: tabular-nums
}
.plot:empty + .legend { display: none }
[data-lines='1'] .legend { margin: 0; line-height: 1.3; min-height: 1.3em }
.legend span { color: var(--ink) }
.legend span::before {
  content: ''; display: inline-block; width: 1.3rem; margin-right: .4rem; vertical-align: .25em;
  border-top: 2px solid var(--accent)
}
.legend span:nth-child(2)::before { border-top: 2px dashed var(--soft) }
.legend span:nth-child(3)::before { border-top: 2px dotted var(--good) }
.u-cursor-x {
  left: 0; top: 0; height: 100%; border-right: 1px dashed var(--control); pointer-events: none;
  will-change: transform
}
.u-cursor-pt {
  top: 0; left: 0; border-radius: 50%; border: 0 solid; pointer-events: none; will-change: transform;
  background-clip: content-box !important
}
.u-off, .u-select { display: none }
`
