import type { SeededRandom } from './seeded-random.ts'
import type { Character } from './people.ts'

/** A trace for POST /api/ingest. */
export interface Conversation {
  readonly source: string
  readonly sourceId: string
  readonly model: string
  readonly createdAt: string
  readonly agent: { readonly name: string; readonly version: string }
  readonly outcome: { readonly status: string; readonly testsPassed: number; readonly testsFailed: number }
  readonly messages: readonly { readonly role: string; readonly content: string; readonly createdAt: string }[]
}

const areas = [
  'the importer',
  'the billing job',
  'the session cache',
  'the search index',
  'the webhook queue',
  'the signup form',
  'the nightly report',
  'the map view',
]
const troubles = [
  'times out once a batch has more than a thousand rows',
  "returns yesterday's total just after midnight UTC",
  'drops the last line when the file has no line break at its end',
  'logs the same warning for every request',
  'asks the database twice for each row',
  'fails only on the build machine',
  'loses the order of items with equal dates',
]
const causes = [
  'The date is compared in local time; both sides need UTC.',
  'Each row opens a connection of its own, and the pool has ten.',
  'The reader splits on line breaks and forgets what is left over.',
  'The cache key has no version in it, so old entries are read with the new code.',
  'Two awaits run in sequence where one query would do.',
  'Sorting is by date alone; add the id as the second key.',
]
const fixes = [
  '```ts\nconst rows = await db.select().from(items).where(inArray(items.id, ids))\n```',
  '```ts\nif (rest.length > 0) yield rest\n```',
  '```sql\norder by created_at desc, id desc\n```',
  '```ts\nconst key = `v2:${tenant}:${name}`\n```',
  '```ts\nconst today = new Date().toISOString().slice(0, 10)\n```',
]
const models: Record<Character['tool'], readonly string[]> = {
  claude_code_jsonl: ['claude-sonnet-4-5', 'claude-opus-4-1'],
  codex_jsonl: ['gpt-5-codex'],
  cursor_sqlite: ['claude-sonnet-4-5', 'gpt-5'],
  gemini_cli: ['gemini-2.5-pro'],
  opencode: ['claude-sonnet-4-5', 'gemini-2.5-pro'],
}
const agents: Record<Character['tool'], Conversation['agent']> = {
  claude_code_jsonl: { name: 'claude-code', version: '2.1.0' },
  codex_jsonl: { name: 'codex', version: '0.42.0' },
  cursor_sqlite: { name: 'cursor', version: '1.9.2' },
  gemini_cli: { name: 'gemini-cli', version: '0.9.1' },
  opencode: { name: 'opencode', version: '1.2.0' },
}
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** Returns a sentence with an invented secret or personal data, which the scrubber replaces. */
function createSecretSentence(by: Character, random: SeededRandom): string {
  const run = (length: number): string => Array.from({ length }, () => random.pick([...letters])).join('')
  const mailbox = `${by.login}@${by.company.toLowerCase().replaceAll(' ', '')}-mail.com`
  return random.pick([
    () => `The trace is in /home/${by.login}/work/${by.company.toLowerCase().replaceAll(' ', '-')}/logs/app.log.`,
    () => `It mails ${mailbox} when it fails; that is me.`,
    () => `I run it with GITHUB_TOKEN=${['gh', 'p_'].join('')}${run(36)} in the environment.`,
    () =>
      `DATABASE_URL=postgres://app:${run(18)}@10.20.${random.integer(250)}.${random.integer(250)}:5432/main if that helps.`,
    () => `You can reach me at +1 415 555 ${String(1000 + random.integer(9000))} or ${mailbox}.`,
  ])()
}

/** Returns a session id as the tools create them: a UUID version 4. */
function createSessionId(random: SeededRandom): string {
  const digits = Array.from({ length: 32 }, () => random.integer(16).toString(16)).join('')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5')
}

/** The parts of the identifiers in the files that the agents of the demo read. */
const verbs = ['read', 'load', 'merge', 'parse', 'count', 'group', 'send', 'store', 'sort', 'check', 'format', 'split']
const nouns = [
  'Row',
  'Batch',
  'Item',
  'Event',
  'Page',
  'Total',
  'Index',
  'Report',
  'Session',
  'Marker',
  'Query',
  'Line',
]

/** Returns a file in the form in which a tool prints it. No other file of the demo has its functions in this order. */
function createFile(functions: number, random: SeededRandom): string {
  const name = (): string =>
    `${random.pick(verbs)}${random.pick(nouns)}${random.pick(['', 's', 'ById', 'OfDay', 'Once'])}`
  const local = (): string => random.pick(nouns).toLowerCase()
  const statements = [
    () => `const ${local()} = await ${name()}(${local()}, ${random.integer(500)})`,
    () => `if (${local()}.length > ${random.integer(2000)}) return ${name()}(${local()})`,
    () => `for (const ${local()} of ${name()}(${local()})) await ${name()}(${local()})`,
    () => `log.debug('${random.pick(verbs)}ing ${local()}', { ${local()}: ${random.integer(9000)} })`,
    () => `${local()}.push(...${name()}(${local()}).filter((one) => one.${local()} !== ${random.integer(90)}))`,
  ]
  return Array.from({ length: functions }, () =>
    [
      `export async function ${name()}(${local()}: ${random.pick(nouns)}[], limit = ${random.integer(900)}) {`,
      ...Array.from({ length: 4 + random.integer(9) }, () => `  ${random.pick(statements)()}`),
      `  return ${local()}`,
      '}',
    ].join('\n'),
  ).join('\n\n')
}

/** Returns a text like the output of a test runner. */
function createTestRun(area: string, failed: number, random: SeededRandom): string {
  const file = area.split(' ').at(-1)!
  const count = 8 + random.integer(20)
  const lines = Array.from(
    { length: count },
    (_, at) =>
      ` ${at < failed ? '✗' : '✓'} ${file} > ${random.pick(verbs)}s ${1 + random.integer(900)} ` +
      `${random.pick(nouns).toLowerCase()}s ${random.integer(400)} ms`,
  )
  return [
    `> vitest run src/${file}.test.ts`,
    ...lines,
    `Tests  ${failed} failed | ${count - failed} passed (${count})`,
  ].join('\n')
}

/** Returns a session with a coding agent about one problem: some thousand tokens, most of them output of its tools. */
export function createConversation(by: Character, at: number, random: SeededRandom): Conversation {
  const area = random.pick(areas)
  const file = area.split(' ').at(-1)!
  const turns: [string, string][] = [
    [
      'user',
      `${area[0]!.toUpperCase()}${area.slice(1)} ${random.pick(troubles)}. ${createSecretSentence(by, random)} Can you find out why?`,
    ],
    ['assistant', `I read ${area} and the tests around it first.`],
  ]
  for (let files = 1 + random.integer(3); files > 0; files--)
    turns.push(['tool', createFile(5 + random.integer(10), random)])
  turns.push(
    ['tool', createTestRun(area, 1 + random.integer(3), random)],
    ['assistant', `${random.pick(causes)}\n\n${random.pick(fixes)}`],
    ['tool', createTestRun(area, 0, random)],
  )
  const isDone = random.chance(70)
  if (isDone)
    turns.push(
      [
        'user',
        `That works here. ${random.chance(40) ? createSecretSentence(by, random) : 'Please add a test that fails without it.'}`,
      ],
      ['tool', createFile(2 + random.integer(6), random)],
      [
        'assistant',
        `Done: the test in \`${file}.test.ts\` fails before the change and passes after ` +
          'it. Nothing else in the suite changed.',
      ],
    )
  return {
    source: by.tool,
    sourceId: createSessionId(random),
    model: random.pick(models[by.tool]),
    createdAt: new Date(at).toISOString(),
    agent: agents[by.tool],
    outcome: isDone
      ? { status: 'success', testsPassed: 8 + random.integer(20), testsFailed: 0 }
      : { status: 'partial', testsPassed: 6 + random.integer(9), testsFailed: 1 + random.integer(2) },
    messages: turns.map(([role, content], turn) => ({
      role,
      content,
      createdAt: new Date(at + turn * 40_000).toISOString(),
    })),
  }
}
