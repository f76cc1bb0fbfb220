import { html, type Html, messagesOf, number, time } from '../../ui/html.ts'
import { itemAt } from '../../lists.ts'
import { traceMessages } from '../../messages/traces.ts'
import { parseMessageBlocks, type MessageBlock } from '../blocks.ts'
import { redactionCounts } from '../rules.ts'
import { categoryName, placeholderCategory } from './texts.ts'

/** A message of a trace document. */
export interface ShownMessage {
  readonly position: number
  readonly role: string | null
  readonly content: string
  readonly tokenCount: number
  readonly createdAt: string | null
  readonly truncated: boolean
}

/** A page of a conversation ends with the message that reaches one of these limits. */
const maxMessages = 100
const maxCharacters = 150_000
/** The maximum number of characters of a message that are shown; the rest of a longer message is in the download. */
const maxShown = 60_000
/** Longer output of a tool is folded. */
const maxUnfolded = 600

/** Returns the index of the first message of each page of a conversation. There is at least one page. */
function pageStarts(messages: readonly Pick<ShownMessage, 'content'>[]): number[] {
  const starts = [0]
  let [count, characters] = [0, 0]
  for (const [index, { content }] of messages.entries()) {
    if (count >= maxMessages || characters >= maxCharacters) {
      starts.push(index)
      ;[count, characters] = [0, 0]
    }
    count++
    characters += Math.min(content.length, maxShown)
  }
  return starts
}

const message = messagesOf(traceMessages)
const roles = ['system', 'user', 'assistant', 'tool'] as const

/** Returns the name of a role. A role other than the four known roles is returned as it is. */
function roleName(role: string | null): Html | string {
  const known = roles.find((one) => one === role)
  return known === undefined ? (role ?? message('message.unknownRole')) : message(`message.${known}`)
}

/** A conversation, divided into pages, and the page to show. */
export interface ConversationPart {
  readonly messages: readonly ShownMessage[]
  /** The index of the first message of each page. */
  readonly starts: readonly number[]
  /** The number of the page to show, starting at 1. */
  readonly number: number
}

/** Returns the part of a conversation that a page shows. For a page that does not exist, returns the nearest part. */
export function findPart(text: string, page: string | undefined): ConversationPart {
  const messages = JSON.parse(text) as ShownMessage[]
  const starts = pageStarts(messages)
  return { messages, starts, number: Math.min(Math.max(Number(page ?? 1) || 1, 1), starts.length) }
}

/** Renders a part of a conversation below a hint, with links to the other parts. `linkTo` returns the URL of a page. */
export function renderPart(
  { messages, starts, number: shown }: ConversationPart,
  hint: Html,
  linkTo: (page: number) => string,
): Html {
  const [start, end] = [itemAt(starts, shown - 1), starts[shown] ?? messages.length]
  const pages = starts.length > 1 ? pager(linkTo, shown, starts.length) : null
  return html`<p class="hint">
      ${hint} ${pages && message('trace.part', { from: start + 1, to: end, count: messages.length })}
      ${message('trace.marked', { mark: html`<mark>${message('trace.markedText')}</mark>` })}
    </p>
    ${pages} ${conversation(messages.slice(start, end), start + 1)} ${pages}`
}

function pager(linkTo: (page: number) => string, shown: number, last: number): Html {
  const link = (to: number, text: Html, rel: string): Html => html`<a href="${linkTo(to)}" rel="${rel}">${text}</a>`
  return html`<div class="pages">
    ${shown > 1 ? html`${link(1, message('trace.first'), 'start')} ${link(shown - 1, message('trace.previous'), 'prev')}` : null}
    <span>${message('trace.page', { page: shown, last })}</span>
    ${shown < last ? html`${link(shown + 1, message('trace.next'), 'next')} ${link(last, message('trace.last'), 'end')}` : null}
  </div>`
}

/** Renders the counts of the removed values, by category. */
export function redactionList(trace: Parameters<typeof redactionCounts>[0], nameOf = categoryName): Html {
  const counts = Object.entries(redactionCounts(trace)).sort(([, one], [, other]) => other - one)
  if (counts.length === 0) return html`<p>${message('trace.nothingFound')}</p>`
  return html`<div class="row">
    <span class="hint">${message('trace.redactions')}</span>
    <ul class="counts removed" aria-label="${message('trace.byCategory')}">
      ${counts.map(([category, count]) => html`<li>${nameOf(category)} <strong>${number(count)}</strong></li>`)}
    </ul>
  </div>`
}

/** Renders messages as a numbered list. `first` is the number of the first message, counted from 1. */
function conversation(messages: readonly ShownMessage[], first: number): Html {
  return html`<ol class="turns" start="${first}">
    ${messages.map((one, index) => turn(one, first + index))}
  </ol>`
}

function turn(given: ShownMessage, number: number): Html {
  const { role, content, createdAt, tokenCount, truncated } = given
  const isCut = content.length > maxShown
  const shown = isCut ? { ...given, content: content.slice(0, maxShown) } : given
  const at = createdAt ? time(createdAt) : null
  const parts = parseMessageBlocks(shown).map((part) => (role === 'tool' ? asResult(part) : part))
  return html`<li class="turn ${role === 'user' ? 'user' : null}" id="message-${number}">
    <h3>
      ${roleName(role)}
      <small
        >${number} ·
        ${message('message.tokens', { count: tokenCount })}${at && html` · ${message('message.time', { time: at })}`}</small
      >
    </h3>
    ${content === '' ? html`<p class="hint">${message('message.empty')}</p>` : parts.map(block)}
    ${isCut ? html`<p class="hint">${message('message.cut', { shown: maxShown, count: content.length })}</p>` : null}
    ${truncated ? html`<p class="hint">${message('message.truncated')}</p>` : null}
  </li>`
}

/** Turns the text of a tool message into a tool result, which is shown as code and folded if it is long. */
const asResult = (part: MessageBlock): MessageBlock =>
  part.type === 'text' ? { type: 'tool_result', id: null, text: part.text } : part

function block(part: MessageBlock): Html {
  if (part.type === 'text')
    return html`${textParts(part.text).map(({ isCode, text }) => (isCode ? code(text) : prose(text)))}`
  if (part.type === 'thinking') return folded(message('message.thinking'), part.text, prose(part.text), false)
  if (part.type === 'tool_call') {
    const text = indented(part.arguments)
    return folded(message('message.toolCall', { name: part.name }), text, code(text), text.length <= maxUnfolded)
  }
  return folded(message('message.toolResult'), part.text, code(part.text), part.text.length <= maxUnfolded)
}

function folded(name: Html, text: string, body: Html, isOpen: boolean): Html {
  return html`<details${isOpen ? html` open` : null}>
    <summary>${name} <small>${message('message.characters', { count: text.length })}</small></summary>
    ${body}
  </details>`
}

const prose = (text: string): Html => html`<div class="text">${inlineParts(text).map(inline)}</div>`
const inline = ({ kind, text }: InlinePart): Html =>
  kind === 'code'
    ? html`<code>${marked(text)}</code>`
    : kind === 'bold'
      ? html`<strong>${marked(text)}</strong>`
      : marked(text)
const code = (text: string): Html => html`<pre><code>${marked(text)}</code></pre>`

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

/**
 * Splits text at its fences of code, as in Markdown. A fence that is not closed ends with the text. Reads each line
 * once.
 */
export function textParts(text: string): { readonly isCode: boolean; readonly text: string }[] {
  if (!text.includes('```')) return [{ isCode: false, text }]
  const parts: { isCode: boolean; text: string }[] = []
  let lines: string[] = []
  let fence = ''
  const close = (): void => {
    const part = lines.join('\n')
    if (fence !== '' || part.trim() !== '')
      parts.push({ isCode: fence !== '', text: fence === '' ? part.trim() : part })
    lines = []
  }
  for (const line of text.split('\n')) {
    const [, ticks, info] = /^ {0,3}(`{3,})([^`]*)$/.exec(line.trimEnd()) ?? []
    const isFence = ticks !== undefined && (fence === '' || (ticks.length >= fence.length && info === ''))
    if (!isFence) {
      lines.push(line)
      continue
    }
    close()
    fence = fence === '' ? ticks : ''
  }
  close()
  return parts
}

interface InlinePart {
  readonly kind: 'text' | 'code' | 'bold'
  readonly text: string
}

/** Splits a paragraph at inline code and bold text of one line, as in Markdown. */
function inlineParts(text: string): InlinePart[] {
  const parts: InlinePart[] = []
  let end = 0
  for (const found of text.matchAll(/`([^`\n]{1,500})`|\*\*([^*\s][^*\n]{0,500})\*\*/g)) {
    if (found.index > end) parts.push({ kind: 'text', text: text.slice(end, found.index) })
    const [, code, bold = ''] = found
    parts.push(code === undefined ? { kind: 'bold', text: bold } : { kind: 'code', text: code })
    end = found.index + found[0].length
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) })
  return parts
}

const placeholder = /\[([A-Z0-9][A-Z0-9_]{0,40})_\d{1,9}\]/g

/** Renders text with its placeholders marked and named. */
function marked(text: string): Html {
  const parts: (Html | string)[] = []
  let end = 0
  for (const found of text.matchAll(placeholder)) {
    parts.push(
      text.slice(end, found.index),
      placeholderMark(found[0], categoryName(placeholderCategory(found[1] ?? ''))),
    )
    end = found.index + found[0].length
  }
  parts.push(text.slice(end))
  return html`${parts}`
}

function placeholderMark(text: string, category: Html | string): Html {
  const aside = html`<span class="hidden"> ${message('message.removedAside', { category })}</span>`
  return html`<mark title="${message('message.removed', { category })}">${text}${aside}</mark>`
}
