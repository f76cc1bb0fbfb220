import { counted, grouped } from '../../http/format.ts'
import { html, type Html, time } from '../../http/html.ts'
import { parseMessageBlocks, type MessageBlock } from '../blocks.ts'
import { placeholderName } from './texts.ts'

/** A message of a trace document. */
export interface ShownMessage {
  readonly position: number
  readonly role: string | null
  readonly content: string
  readonly tokenCount: number
  readonly createdAt: string | null
  readonly truncated: boolean
}

/** A page of a conversation ends with the message that reaches one of these. */
const maxMessages = 100
const maxCharacters = 150_000
/** Of a longer message the rest is left to the download. */
const maxShown = 60_000
/** Longer output of a tool is folded. */
const maxUnfolded = 600

/** Returns the pages of a conversation: the index of the first message of each. There is at least one. */
export function pageStarts(messages: readonly Pick<ShownMessage, 'content'>[]): number[] {
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

const roleNames: Readonly<Record<string, string>> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
}

/** Renders messages turn by turn. `first` is the number of the first one, from 1. */
export function conversation(messages: readonly ShownMessage[], first: number): Html {
  return html`<ol class="turns" start="${first}">
    ${messages.map((message, index) => turn(message, first + index))}
  </ol>`
}

function turn(message: ShownMessage, number: number): Html {
  const { role, content, createdAt, tokenCount, truncated } = message
  const name = role === null ? 'Unknown role' : (roleNames[role] ?? role)
  const shown = content.length > maxShown ? { ...message, content: content.slice(0, maxShown) } : message
  return html`<li class="turn ${role === 'user' ? 'user' : null}" id="message-${number}">
    <h3>
      ${name}
      <small>${number} · ${counted(tokenCount, 'token')}${createdAt ? html` · ${time(createdAt)}` : null}</small>
    </h3>
    ${content === '' ? html`<p class="hint">Empty message</p>` : parseMessageBlocks(shown).map(block)}
    ${shown === message ? null : html`<p class="hint">The first ${grouped(maxShown)} of ${grouped(content.length)} characters. Download the trace to read the rest.</p>`}
    ${truncated ? html`<p class="hint">The client truncated this message before the upload.</p>` : null}
  </li>`
}

function block(part: MessageBlock): Html {
  if (part.type === 'text')
    return html`${textParts(part.text).map(({ isCode, text }) => (isCode ? code(text) : prose(text)))}`
  if (part.type === 'thinking') return folded('Thinking', part.text, prose(part.text), false)
  if (part.type === 'tool_call') {
    const text = indented(part.arguments)
    return folded(`Tool call: ${part.name}`, text, code(text), text.length <= maxUnfolded)
  }
  return folded('Tool result', part.text, code(part.text), part.text.length <= maxUnfolded)
}

function folded(name: string, text: string, body: Html, isOpen: boolean): Html {
  return html`<details${isOpen ? html` open` : null}>
    <summary>${name} <small>${counted(text.length, 'character')}</small></summary>
    ${body}
  </details>`
}

const prose = (text: string): Html => html`<div class="text">${marked(text)}</div>`
const code = (text: string): Html => html`<pre><code>${marked(text)}</code></pre>`

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

/** Splits text at its fences of code, as in Markdown. One that is not closed reaches to the end. Reads each line once. */
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
    const ticks = /^ {0,3}(`{3,})([^`]*)$/.exec(line.trimEnd())
    const isFence = ticks !== null && (fence === '' || (ticks[1]!.length >= fence.length && ticks[2] === ''))
    if (!isFence) {
      lines.push(line)
      continue
    }
    close()
    fence = fence === '' ? ticks[1]! : ''
  }
  close()
  return parts
}

const placeholder = /\[([A-Z0-9][A-Z0-9_]{0,40})_\d{1,9}\]/g

/** Renders text with its placeholders marked and named. */
export function marked(text: string): Html {
  const parts: (Html | string)[] = []
  let end = 0
  for (const found of text.matchAll(placeholder)) {
    const name = placeholderName(found[1]!)
    parts.push(
      text.slice(end, found.index),
      html`<mark title="Removed: ${name}">${found[0]}<span class="hidden"> (removed: ${name})</span></mark>`,
    )
    end = found.index + found[0].length
  }
  parts.push(text.slice(end))
  return html`${parts}`
}
