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
  /** The number of traces in the first batch, or 0 for a person who uploads nothing. */
  readonly firstBatch: number
  /** The probability of another upload on a day, in percent. */
  readonly activity: number
  readonly machine: string
  readonly tool: 'claude_code_jsonl' | 'codex_jsonl' | 'cursor_sqlite' | 'gemini_cli' | 'opencode'
}

const row = (
  name: string,
  state: UserState,
  company: string,
  batch: string,
  role: string,
  [firstBatch, activity]: readonly [firstBatch: number, activity: number] = [0, 0],
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
    firstBatch,
    activity,
    tool,
    machine: `${at}s-laptop`,
  }
}

/** Demo users at example.com, at least one in every state of a contributor. */
export const people: readonly Character[] = [
  row('Ada Okafor', 'approved', 'Quillworks', 'W25', 'founder', [14, 60]),
  row('Ben Lindqvist', 'approved', 'Tidepool Robotics', 'S24', 'engineer', [18, 40], 'codex_jsonl'),
  row('Carmen Ruiz', 'approved', 'Fieldnote Health', 'W26', 'CTO', [11, 30], 'cursor_sqlite'),
  row('Dev Patel', 'paused', 'Latchkey', 'S25', 'engineer', [7, 20], 'gemini_cli'),
  row('Elena Novak', 'stopped', 'Paperplane', 'W24', 'engineer', [5, 20], 'opencode'),
  row('Farid Rahimi', 'pending', 'Switchyard', 'S25', 'founder'),
  row('Grace Kim', 'pending', 'Marrow Analytics', 'W26', 'data scientist'),
  row('Hiro Tanaka', 'rejected', 'Stealth', '', 'founder'),
  row('Ines Moreau', 'again', 'Orchard Labs', 'W26', 'CTO'),
  row('Jonas Weber', 'accepted', 'Kettle', 'S24', 'engineer'),
  row('Kim Tran', 'waiting', 'Northbound', 'W25', 'engineer', [0, 0], 'claude_code_jsonl', 'CA'),
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

/**
 * Campaigns of every status. Times are relative to the end of the demo data. Each budget is enough for some hundred
 * impressions.
 */
export const campaigns = [
  {
    name: 'Night Shift, always on',
    brandName: 'Night Shift',
    title: 'CI that sleeps when you do',
    text: 'CI that finishes before your coffee does. First 3,000 minutes free.',
    url: 'https://nightshift.example.com/ci',
    topics: [],
    // The price is lower than the price that a person enters for a new campaign, so a new campaign is shown
    // immediately.
    cpmUsd: 4,
    budgetUsd: 10,
  },
  {
    name: 'Heron autumn launch',
    brandName: 'Heron DB',
    title: 'Postgres without the pager',
    text: 'Postgres branches in 300 ms. Try one on your next migration.',
    url: 'https://heron.example.com/branches',
    topics: ['databases', 'backend'],
    cpmUsd: 24,
    budgetUsd: 4.8,
    dailyCap: 20,
    startsIn: -20 * day,
    endsIn: 10 * day,
  },
  {
    name: 'Lantern trial',
    brandName: 'Lantern',
    title: 'Logs you can read',
    text: 'Logs you can read without a query language.',
    url: 'https://lantern.example.com',
    topics: [],
    cpmUsd: 30,
    budgetUsd: 0.9,
  },
  {
    name: 'Gantry Q3',
    brandName: 'Gantry',
    title: 'Previews for every branch',
    text: 'A preview for every branch, gone when it merges.',
    url: 'https://gantry.example.com',
    topics: ['devops', 'hosting'],
    cpmUsd: 18,
    budgetUsd: 30,
    paused: true,
  },
  {
    name: 'Quartz terminal week',
    brandName: 'Quartz',
    title: 'A terminal that remembers',
    text: 'Quartz finds the command that you typed last week.',
    url: 'https://quartz.example.com',
    topics: ['ai', 'terminal'],
    cpmUsd: 16,
    budgetUsd: 1.6,
    startsIn: -28 * day,
    endsIn: -9 * day,
  },
  {
    name: 'Beacon winter',
    brandName: 'Beacon',
    title: 'Pages when it matters',
    text: 'Pages you only when it matters.',
    url: 'https://beacon.example.com',
    topics: ['observability'],
    cpmUsd: 20,
    budgetUsd: 80,
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

/** Reports of agents, in the order of their days. */
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
  {
    product: 'gemini-cli',
    version: '0.9',
    surface: 'POST /api/ingest',
    kind: 'api_endpoint',
    category: 'docs_mismatch',
    severity: 'low',
    confidence: 0.7,
    title: 'The example of a trace does not show segmentIndex',
    summary: 'I left it out as the example does, and the second part of the conversation replaced the first.',
    steps: 'Send two parts of one conversation without segmentIndex.',
  },
  {
    product: 'opencode',
    version: '1.2.0',
    surface: 'GET /api/traces',
    kind: 'api_endpoint',
    category: 'feature_gap',
    severity: 'low',
    confidence: 0.5,
    title: 'No way to list the traces of one model',
    summary: 'There is a filter for the source, but none for the model.',
    steps: 'GET /api/traces?model=gpt-5-codex returns every trace.',
  },
  {
    product: 'claude-code',
    version: '2.4.3',
    surface: 'docs/getting-started.md',
    kind: 'docs_page',
    category: 'friction',
    severity: 'medium',
    confidence: 0.8,
    title: 'The guide does not say how long a sign-in code lasts',
    summary: 'The code had expired when the person came back to the terminal after a quarter of an hour.',
    steps: 'Request a code, wait 15 minutes, enter it.',
  },
  {
    product: 'codex',
    version: '0.42',
    surface: 'POST /api/ingest',
    kind: 'api_endpoint',
    category: 'quality_degradation',
    severity: 'critical',
    confidence: 0.4,
    title: 'A batch stayed queued for ten minutes',
    summary: 'The status was queued from 14:02 to 14:12 UTC; then everything was stored.',
    steps: 'GET /api/ingest/jobs/{jobId} every 30 seconds.',
  },
] as const
