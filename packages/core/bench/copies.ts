/**
 * `npm run bench:copies` measures the share of copied conversations that is recognized, by kind of edit, and the share
 * of unrelated sessions that is mistaken for a copy. Reads ../shared/traces.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createTestStores,
  fixture,
  seededRandom,
  type Fixture,
  type Signed,
  type TestStores,
} from '@tributary/test-kit'
import type { Scrubber } from '../src/scrubber/index.ts'
import { percent, table } from './table.ts'

interface Message {
  readonly role: string
  readonly content: string
  /** True if the original contains the text. */
  readonly isCopied?: boolean
}
interface Conversation {
  readonly group: string
  readonly name: string
  readonly messages: readonly Message[]
}

const readTraces = (path: string): { messages: Message[] }[] => JSON.parse(readFileSync(path, 'utf8')).traces

const bodyOf = (heading: string): string => heading.replace(/^_\*\*.*\*\*_$/m, '')

/** Different ways to convert a history to messages. */
const readings: Record<string, (text: string) => Message[]> = {
  'divided by ---': (text) =>
    text.split(/^---$/m).map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })),
  'by speaker': (text) =>
    text.split(/^(?=_\*\*(?:User|Agent))/m).map((content, at) => ({
      role: at === 0 ? 'system' : content.startsWith('_**User') ? 'user' : 'assistant',
      content: bodyOf(content),
    })),
  'by speaker and tool': (text) =>
    text.split(/^(?=_\*\*(?:User|Agent))/m).flatMap((part, at) =>
      part
        .split(/^(<tool-use[\s\S]*?<\/tool-use>)$/m)
        .map((content, n) => ({
          role: n % 2 === 1 ? 'tool' : at === 0 ? 'system' : part.startsWith('_**User') ? 'user' : 'assistant',
          content: bodyOf(content),
        }))
        .filter(({ content }) => content.trim() !== ''),
    ),
  'as one message': (content) => [{ role: 'user', content }],
}

/**
 * Four sessions exist in two files that are equal or almost equal. These are the second files, which count as copies.
 */
const sameSessions = ['28', '32', '44', '45']

function readHistories(folder: string, read: (text: string) => Message[]): Conversation[] {
  return readdirSync(join(folder, 'histories'))
    .filter((file) => !sameSessions.includes(file.slice(0, 2)))
    .sort()
    .map((file) => ({
      group: 'histories',
      name: file.slice(0, 2),
      messages: read(readFileSync(join(folder, 'histories', file), 'utf8')).filter(({ content }) => content !== ''),
    }))
}

/** Returns the first messages of a conversation that fit into a number of characters. */
function shorten(messages: readonly Message[], limit = 60_000): Message[] {
  let chars = 0
  return messages.flatMap((one) => {
    const content = one.content.slice(0, Math.max(0, limit - chars))
    chars += content.length
    return content === '' ? [] : [{ ...one, content }]
  })
}

const splitWords = (text: string): string[] => text.split(/(\s+)/)
let state = 1
/** Returns a number below `most`. Every run gets the same numbers. */
function nextBelow(most: number): number {
  state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
  return (state >>> 8) % most
}
function shuffle<Item>(items: readonly Item[]): Item[] {
  const list = [...items]
  for (let at = list.length - 1; at > 0; at--) {
    const other = nextBelow(at + 1)
    ;[list[at], list[other]] = [list[other]!, list[at]!]
  }
  return list
}

type Edit = (messages: readonly Message[], others: readonly Message[]) => readonly (readonly Message[])[]

const change =
  (edit: (content: string) => string): Edit =>
  (messages) => [messages.map((one) => ({ ...one, content: edit(one.content) }))]

const replacements = 'amber basket candle dolphin ember falcon garden harbor island jungle kettle lantern'.split(' ')
/** Replaces every n-th word. */
const replaceWords = (every: number): Edit => {
  return (messages) => {
    let count = 0
    const edit = (content: string): string =>
      splitWords(content)
        .map((word) =>
          /\w/.test(word) && ++count % every === 0 ? replacements[nextBelow(replacements.length)]! : word,
        )
        .join('')
    return [messages.map((one) => ({ ...one, content: edit(one.content) }))]
  }
}
const fork =
  (more: number): Edit =>
  (messages, others) => [[...messages, ...others.slice(0, more).map((one) => ({ ...one, isCopied: false }))]]

/** Splits a message at white space into a number of messages. */
function splitMessage(one: Message, parts: number): Message[] {
  const list = splitWords(one.content)
  const size = Math.ceil(list.length / parts)
  return Array.from({ length: parts }, (_, n) => ({ ...one, content: list.slice(n * size, (n + 1) * size).join('') }))
}
function joinMessages(messages: readonly Message[], size: number): Message[] {
  const joined: Message[] = []
  for (let at = 0; at < messages.length; at += size) {
    const some = messages.slice(at, at + size)
    joined.push({ role: 'user', content: some.map(({ content }) => content).join('\n\n') })
  }
  return joined
}
const pieces = (messages: readonly Message[], cut: (from: number, to: number) => readonly Message[]): Message[][] =>
  [0, 1, 2, 3, 4]
    .map((n) => [...cut(Math.floor((n * messages.length) / 5), Math.floor(((n + 1) * messages.length) / 5))])
    .filter((some) => some.length > 0)

const edits: Record<string, Edit> = {
  'exact copy': (messages) => [messages],
  'fork, 1 message more': fork(1),
  'fork, 3 messages more': fork(3),
  'fork, 10 messages more': fork(10),
  'resumed in 5 pieces': (messages) => pieces(messages, (from, to) => messages.slice(from, to)),
  'resumed in 5 files, each with what was before': (messages) => pieces(messages, (_, to) => messages.slice(0, to)),
  'messages split in 2': (messages) => [messages.flatMap((one) => splitMessage(one, 2))],
  'messages split in 5': (messages) => [messages.flatMap((one) => splitMessage(one, 5))],
  'messages joined by 2': (messages) => [joinMessages(messages, 2)],
  'messages joined by 5': (messages) => [joinMessages(messages, 5)],
  'all messages joined': (messages) => [joinMessages(messages, messages.length)],
  'upper case': change((text) => text.toUpperCase()),
  'white space': change((text) => text.replace(/[ \t]+/g, '  ').replace(/\n/g, '\n\n')),
  'no line breaks': change((text) => text.replace(/\s+/g, ' ')),
  'without punctuation': change((text) => text.replace(/[.,;:!?"'()]+(?=\s|$)/g, '')),
  'other punctuation': change((text) => text.replace(/[.,](?=\s)/g, ';').replace(/$/, '!')),
  '1 % of words replaced': replaceWords(100),
  '2 % of words replaced': replaceWords(50),
  '3 % of words replaced': replaceWords(33),
  '5 % of words replaced': replaceWords(20),
  'paragraphs reordered in messages': change((text) => shuffle(text.split(/\n{2,}/)).join('\n\n')),
  'messages reordered': (messages) => [shuffle(messages)],
}

const keepText: Scrubber = {
  version: 'none',
  scrub: (texts) => ({ ok: true, texts: [...texts], total: 0, counts: {} }),
}
const adminToken = 'operator-'.repeat(3)

interface Place extends Fixture {
  readonly stores: TestStores
}
function openPlace(): Place {
  const stores = createTestStores()
  const options = { adminToken, approval: 'automatic', country: () => 'US', scrubber: keepText } as const
  return { ...fixture({ stores, random: seededRandom(1), ...options }), stores }
}

let people = 0
async function signIn({ ask, signIn }: Place): Promise<Signed> {
  const person = await signIn(`person-${++people}@example.com`)
  const { termsVersion } = (await ask('GET', '/api/traces/upload-policy', { headers: person.bearer })).json
  const application = { companyName: 'Acme', website: 'https://acme.example', email: 'a@acme.example' }
  for (const [path, json] of [
    ['/api/account/terms', { termsVersion, residencyConfirmed: true }],
    ['/api/account/application', { ...application, role: 'dev', authorized: true }],
  ] as const)
    await ask('POST', path, { headers: person.bearer, json })
  return person
}

/**
 * Uploads each conversation as a separate job. Returns the ids of the traces, or `''` for a conversation that was not
 * stored.
 */
async function upload(
  { ask, service }: Place,
  person: Signed,
  label: string,
  conversations: readonly (readonly Message[])[],
): Promise<string[]> {
  const ids: string[] = []
  // Each conversation is a separate upload, because an upload must stay below the size limit of a body.
  for (const [at, messages] of conversations.entries()) {
    const sent = messages.map(({ role, content }) => ({ role, content }))
    const traces = [{ sourceId: `${label}-${at}`, createdAt: '2026-01-01T00:00:00Z', messages: sent }]
    const { status, json, text } = await ask('POST', '/api/ingest', { headers: person.bearer, json: { traces } })
    if (status !== 202) throw new Error(text)
    await service.work()
    const answer = await ask('GET', `/api/ingest/jobs/${json.jobId}/outcomes`, { headers: person.bearer })
    for (const { outcome, traceId } of answer.json.outcomes) ids.push(outcome === 'stored' ? traceId : '')
  }
  return ids
}

type Range = readonly [from: number, to: number]
/** Reads which tokens of a trace are in earlier traces, and the number of tokens of each of its messages. */
async function readCopied({ stores }: Place, id: string): Promise<{ copied: boolean[]; tokenCounts: number[] }> {
  const [content, overlaps] = await Promise.all([
    stores.client.execute({
      sql: 'select messages from contents join traces on num = contents.trace where id = ?',
      args: [id],
    }),
    stores.client.execute({
      sql: `select ranges from overlaps join traces on traces.num = overlaps.trace join traces original on original.num = other
        where traces.id = ? and is_earlier = 1 and original.owner <> traces.owner`,
      args: [id],
    }),
  ])
  const tokenCounts = (JSON.parse(String(content.rows[0]!['messages'])) as { tokenCount: number }[]).map(
    ({ tokenCount }) => tokenCount,
  )
  const copied = Array<boolean>(tokenCounts.reduce((sum, count) => sum + count, 0)).fill(false)
  for (const row of overlaps.rows)
    for (const [from, to] of JSON.parse(String(row['ranges'])) as Range[]) copied.fill(true, from, to)
  return { copied, tokenCounts }
}

const sumTotal = async ({ stores }: Place): Promise<{ copied: number; tokens: number }> => {
  const { rows } = await stores.client.execute({
    sql: 'select sum(copied_tokens) as copied, sum(token_count) as tokens from traces',
    args: [],
  })
  return { copied: Number(rows[0]!['copied']), tokens: Number(rows[0]!['tokens']) }
}

/** Prints the share of unrelated sessions that is mistaken for a copy. */
async function reportUnrelated(folder: string): Promise<void> {
  const rows: (string | number)[][] = []
  for (const [name, read] of Object.entries(readings))
    for (const owners of [1, 3, 44]) {
      const place = openPlace()
      const signed: Signed[] = []
      for (let n = 0; n < owners; n++) signed.push(await signIn(place))
      const list = readHistories(folder, read)
      for (const [at, { name: label, messages }] of list.entries())
        await upload(place, signed[at % owners]!, label, [messages])
      const { copied, tokens } = await sumTotal(place)
      rows.push([name, owners, tokens, percent(copied, tokens)])
    }
  table('Unrelated sessions of one repository', ['read', 'people', 'tokens', 'taken for copied'], rows)
}

/** Counts the copied tokens that are found, all copied tokens, and the new tokens that are mistaken for copies. */
async function countFound(
  place: Place,
  person: Signed,
  conversations: readonly Conversation[],
  edit: (messages: readonly Message[]) => readonly (readonly Message[])[],
): Promise<{ found: number; known: number; wrong: number }> {
  const counts = { found: 0, known: 0, wrong: 0 }
  const ids: string[] = []
  for (const { group, name, messages } of conversations) {
    const copies = edit(messages)
      .map((copy) => copy.filter(({ content }) => content.trim() !== ''))
      .filter((copy) => copy.length > 0)
    const stored = await upload(place, person, name, copies)
    for (const [n, copy] of copies.entries()) {
      const id = stored[n]!
      // A piece that equals an earlier piece is not stored as a trace.
      if (id === '') continue
      ids.push(id)
      const { copied, tokenCounts } = await readCopied(place, id)
      let token = 0
      for (const [at, count] of tokenCounts.entries()) {
        const hits = copied.slice(token, token + count).filter(Boolean).length
        token += count
        if (copy[at]!.isCopied === false) counts.wrong += hits
        // Other conversations of the group have the same system prompt, which is not a copy.
        else if (group === 'histories' || copy[at]!.role !== 'system') {
          counts.known += count
          counts.found += hits
        }
      }
    }
  }
  for (let n = 0; n < ids.length; n += 100)
    await place.ask('DELETE', '/api/traces/bulk', { headers: person.bearer, json: { ids: ids.slice(n, n + 100) } })
  return counts
}

/**
 * Prints the share of copied tokens that is found, by kind of edit, group and half: every second conversation belongs
 * to the first half.
 */
async function reportEdits(groups: Record<string, readonly Conversation[]>, spare: readonly Message[]): Promise<void> {
  const place = openPlace()
  const authors: Signed[] = []
  for (let n = 0; n < 5; n++) authors.push(await signIn(place))
  for (const list of Object.values(groups))
    for (const [at, { name, messages }] of list.entries()) await upload(place, authors[at % 5]!, name, [messages])
  const rows: (string | number)[][] = []
  for (const [kind, edit] of Object.entries(edits)) {
    const row: (string | number)[] = [kind]
    let wrong = 0
    for (const list of Object.values(groups))
      for (const half of [0, 1]) {
        const some = list.filter((_, at) => at % 2 === half)
        const counts = await countFound(place, await signIn(place), some, (messages) => {
          const from = nextBelow(spare.length - 10)
          return edit(messages, spare.slice(from, from + 10))
        })
        row.push(percent(counts.found, counts.known))
        wrong += counts.wrong
      }
    rows.push([...row, wrong])
  }
  const columns = Object.keys(groups).flatMap((group) => [group, 'other half'])
  table('Copied tokens that are found', ['edit', ...columns, 'new tokens taken for copied'], rows)
}

const folder = join(import.meta.dirname, '..', '..', '..', '..', '..', 'shared', 'traces')
if (!existsSync(folder)) console.log('skip  ../shared/traces is missing')
else {
  await reportUnrelated(folder)
  const toGroup = (group: string, traces: readonly { readonly messages: readonly Message[] }[]): Conversation[] =>
    traces.map(({ messages }, at) => ({ group, name: `${group}-${at}`, messages: shorten(messages) }))
  const airline = readTraces(join(folder, 'airline.ingest.json'))
  await reportEdits(
    {
      'histories': toGroup('histories', readHistories(folder, readings['divided by ---']!)),
      'airline': toGroup('airline', airline.slice(0, 40)),
      'swe-agent': toGroup('swe-agent', readTraces(join(folder, 'swe-agent.ingest.json'))),
    },
    airline
      .slice(100)
      .flatMap(({ messages }) => messages.filter(({ role }) => role === 'user' || role === 'assistant')),
  )
}
