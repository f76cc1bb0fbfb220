import type { SeededRandom } from './seeded-random.ts'
import type { Character } from './people.ts'

/** A trace for POST /api/ingest. */
export interface Conversation {
  readonly source: string
  readonly sourceId: string
  readonly model: string
  readonly createdAt: string
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
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** Returns a sentence with a made-up secret or personal data, which the scrubber replaces. */
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

/** Returns a conversation with a coding agent about one problem, of two or four messages. */
export function createConversation(by: Character, at: number, random: SeededRandom): Conversation {
  const area = random.pick(areas)
  const turns: [string, string][] = [
    [
      'user',
      `${area[0]!.toUpperCase()}${area.slice(1)} ${random.pick(troubles)}. ${createSecretSentence(by, random)} Can you find out why?`,
    ],
    ['assistant', `I looked at ${area} and the tests around it. ${random.pick(causes)}\n\n${random.pick(fixes)}`],
  ]
  if (random.chance(70)) {
    turns.push([
      'user',
      `That works here. ${random.chance(40) ? createSecretSentence(by, random) : 'Please add a test that fails without it.'}`,
    ])
    turns.push([
      'assistant',
      `Done: the test in \`${area.split(' ').at(-1)!}.test.ts\` fails before the change and passes after ` +
        'it. Nothing else in the suite changed.',
    ])
  }
  return {
    source: by.tool,
    sourceId: createSessionId(random),
    model: random.pick(models[by.tool]),
    createdAt: new Date(at).toISOString(),
    messages: turns.map(([role, content], turn) => ({
      role,
      content,
      createdAt: new Date(at + turn * 40_000).toISOString(),
    })),
  }
}
