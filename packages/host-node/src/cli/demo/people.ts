/** The state of a demo user. */
export type UserState =
  | 'visited'
  | 'accepted'
  | 'pending'
  | 'approved'
  | 'rejected'
  | 'again'
  | 'paused'
  | 'stopped'
  | 'waiting'

export interface Character {
  readonly name: string
  /** The part before the `@`. */
  readonly at: string
  /** The user name on the machine. */
  readonly login: string
  readonly state: UserState
  readonly company: string
  readonly batch: string
  readonly role: string
  readonly country: string
  /** The number of traces in each batch. */
  readonly batches: readonly number[]
  readonly machine: string
  readonly tool: 'claude_code_jsonl' | 'codex_jsonl' | 'cursor_sqlite' | 'gemini_cli' | 'opencode'
}

const row = (
  name: string,
  state: UserState,
  company: string,
  batch: string,
  role: string,
  batches: readonly number[] = [],
  tool: Character['tool'] = 'claude_code_jsonl',
  country = 'US',
): Character => {
  const [first = '', last = ''] = name.toLowerCase().split(' ')
  const at = first
  return {
    name,
    at,
    login: `${first[0]}${last}`,
    state,
    company,
    batch,
    role,
    country,
    batches,
    tool,
    machine: `${at}s-laptop`,
  }
}

/** Demo users at example.com, at least one in every state of a contributor. */
export const people: readonly Character[] = [
  row('Ada Okafor', 'approved', 'Quillworks', 'W25', 'founder', [14, 22, 9]),
  row('Ben Lindqvist', 'approved', 'Tidepool Robotics', 'S24', 'engineer', [18, 6], 'codex_jsonl'),
  row('Carmen Ruiz', 'approved', 'Fieldnote Health', 'W26', 'CTO', [11], 'cursor_sqlite'),
  row('Dev Patel', 'paused', 'Latchkey', 'S25', 'engineer', [7], 'gemini_cli'),
  row('Elena Novak', 'stopped', 'Paperplane', 'W24', 'engineer', [5], 'opencode'),
  row('Farid Rahimi', 'pending', 'Switchyard', 'S25', 'founder'),
  row('Grace Kim', 'pending', 'Marrow Analytics', 'W26', 'data scientist'),
  row('Hiro Tanaka', 'rejected', 'Stealth', '', 'founder'),
  row('Ines Moreau', 'again', 'Orchard Labs', 'W26', 'CTO'),
  row('Jonas Weber', 'accepted', 'Kettle', 'S24', 'engineer'),
  row('Kim Tran', 'waiting', 'Northbound', 'W25', 'engineer', [], 'claude_code_jsonl', 'CA'),
  row('Lena Fischer', 'visited', 'Halyard', 'S25', 'engineer'),
]

/** Waitlist entries by country. */
export const waitlist: readonly (readonly [email: string, country: string])[] = [
  ['maria@example.com', 'BR'],
  ['oskar@example.com', 'SE'],
  ['priya@example.com', 'IN'],
  ['tom@example.com', 'GB'],
]

const day = 24 * 60 * 60 * 1000

/** Campaigns: active, active for topics, exhausted, paused and scheduled (days from today). */
export const campaigns = [
  {
    name: 'Night Shift, always on',
    brandName: 'Night Shift',
    title: 'CI that sleeps when you do',
    text: 'CI that finishes before your coffee does. First 3,000 minutes free.',
    url: 'https://nightshift.example.com/ci',
    topics: [],
    cpmUsd: 12.5,
    budgetUsd: 500,
  },
  {
    name: 'Heron autumn launch',
    brandName: 'Heron DB',
    title: 'Postgres without the pager',
    text: 'Postgres branches in 300 ms. Try one on your next migration.',
    url: 'https://heron.example.com/branches',
    topics: ['databases', 'backend'],
    cpmUsd: 24,
    budgetUsd: 1200,
    dailyCap: 2000,
  },
  {
    name: 'Lantern trial',
    brandName: 'Lantern',
    title: 'Logs you can read',
    text: 'Logs you can read without a query language.',
    url: 'https://lantern.example.com',
    topics: [],
    cpmUsd: 30,
    budgetUsd: 0.21,
  },
  {
    name: 'Gantry Q3',
    brandName: 'Gantry',
    title: 'Previews for every branch',
    text: 'A preview for every branch, gone when it merges.',
    url: 'https://gantry.example.com',
    topics: ['devops', 'hosting'],
    cpmUsd: 18,
    budgetUsd: 300,
    paused: true,
  },
  {
    name: 'Beacon winter',
    brandName: 'Beacon',
    title: 'Pages when it matters',
    text: 'Pages you only when it matters.',
    url: 'https://beacon.example.com',
    topics: ['observability'],
    cpmUsd: 20,
    budgetUsd: 800,
    startsIn: 7 * day,
    endsIn: 37 * day,
  },
] as const

export const feedback: readonly (readonly [message: string, command: string])[] = [
  ['Upload of 40 Cursor sessions took a while, but the outcomes list at the end is exactly what I wanted.', 'upload'],
  [
    '`list` shows traces newest first; could there be a --source filter?\n\nI mostly look for my Codex sessions.',
    'list',
  ],
  ['The placeholders kept my file paths readable and my name out of them. Thank you.', 'download'],
  ['On a slow line the progress stands still at "Uploading 3 of 7" for a minute. It did finish.', 'upload'],
]

/** Reports of agents by surface. */
export const reports = [
  {
    product: 'claude-code',
    version: '2.4.1',
    surface: 'POST /api/ingest',
    kind: 'api_endpoint',
    category: 'docs_mismatch',
    severity: 'medium',
    confidence: 0.8,
    title: 'segmentIndex is not in the example of a trace',
    summary: 'The example leaves segmentIndex out, so two pieces of one conversation replaced each other.',
    steps: '1. Send two traces of one sourceId.\n2. Read the outcomes: the second is "updated".',
  },
  {
    product: 'codex',
    version: '0.41',
    surface: 'GET /api/ad',
    kind: 'api_endpoint',
    category: 'friction',
    severity: 'low',
    confidence: 0.6,
    title: 'An unknown topic is refused rather than ignored',
    summary: 'topic=rust got 400 invalid_query. A client that learns of topics later would like a list.',
    steps: 'curl "…/api/ad?d=test&topic=rust"',
  },
  {
    product: 'cursor',
    version: '1.9',
    surface: 'tributary-contributor upload',
    kind: 'cli_command',
    category: 'bug',
    severity: 'high',
    confidence: 0.9,
    title: 'A folder with a broken symlink stops the upload',
    summary: 'ENOENT for the link; the readable files beside it were not sent.',
    steps: 'ln -s nowhere broken.jsonl && upload .',
  },
] as const
