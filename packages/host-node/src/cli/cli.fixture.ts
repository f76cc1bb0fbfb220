import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// This file runs from the sources and, bundled, from folders of any depth in `dist`.
const packages = import.meta.url.slice(0, import.meta.url.lastIndexOf('/packages/') + '/packages/'.length)

/** The path of the built command. */
export const cli = fileURLToPath(new URL('host-node/dist/cli.js', packages))

/** A module that turns a plain file call on an open database into an error. The started processes also load it. */
const guard = new URL('test-kit/src/setup/open-databases.mjs', packages).href

/** Whether the package was built; `npm test` builds first. */
export const built = existsSync(cli)

export interface EndedProcess {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/**
 * Runs the CLI as a separate process. The environment contains only the variables that the system needs, and a secret
 * that all processes of a test share.
 */
export function run(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
  node = process.execPath,
): { child: ChildProcess; ended: Promise<EndedProcess>; out: () => string } {
  const child = spawn(node, [cli, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_OPTIONS: `--import=${guard}`,
      TRIBUTARY_SECRET: 'secret-of-these-tests-only',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd ? { cwd } : {}),
  })
  let [out, err] = ['', '']
  child.stdout!.on('data', (data) => (out += String(data)))
  child.stderr!.on('data', (data) => (err += String(data)))
  const ended = new Promise<EndedProcess>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, out, err })),
  )
  return { child, ended, out: () => out }
}

/** A running `tributary dev`. */
export interface Dev {
  readonly url: string
  readonly adminToken: string
  readonly child: ChildProcess
  readonly ended: Promise<EndedProcess>
  stop(signal?: NodeJS.Signals): Promise<EndedProcess>
}

/** Starts `tributary dev` on a free port and waits until it prints its URL. */
export async function startDev(database: string, ...more: string[]): Promise<Dev> {
  const { child, ended, out } = run([
    'dev',
    '--json',
    '--port',
    '0',
    '--database',
    database,
    '--rate-limits',
    'off',
    '--approval',
    'automatic',
    ...more,
  ])
  const early = ended.then(({ err }) => Promise.reject(new Error(`dev ended early: ${err}`)))
  early.catch(() => undefined)
  const line = await Promise.race([
    early,
    new Promise<string>((resolve) => {
      child.stdout!.on('data', () => out().includes('\n') && resolve(out()))
    }),
  ])
  const { url, adminToken } = JSON.parse(line) as { url: string; adminToken: string }
  return {
    url,
    adminToken,
    child,
    ended,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

type Json = Record<string, unknown>

/** A contributor of a running service, who is signed in by mail, has a token from the device login, and may upload. */
export interface Contributor {
  readonly token: string
  call(method: string, path: string, body?: unknown, url?: string): Promise<{ status: number; body: Json }>
  /** Sends a batch and resolves with the job's id. */
  send(traces: readonly unknown[]): Promise<string>
  /** Resolves with the job once it is done or failed. */
  finished(jobId: string, url?: string): Promise<Json>
  /** Returns the ids of all stored traces. */
  traces(): Promise<string[]>
  /** Erases the account from the browser that signed in. Resolves with the status. */
  erase(url?: string): Promise<number>
}

async function ask(
  url: string,
  method: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<{ status: number; body: Json; cookie: string }> {
  const reply = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  return {
    status: reply.status,
    body: text === '' ? {} : (JSON.parse(text) as Json),
    cookie: (reply.headers.getSetCookie()[0] ?? '').split(';')[0]!,
  }
}

/** Reads the newest mail to an address from the mailbox of `tributary dev`. */
async function readMail(url: string, email: string): Promise<string> {
  const mails = (await (await fetch(`${url}/dev/mail.json`)).json()) as { to: string; text: string }[]
  return mails.find(({ to }) => to === email)!.text
}

/** Does all steps of a new contributor over the public interface. */
export async function signInContributor(url: string, email: string, read = readMail): Promise<Contributor> {
  const ours = { 'sec-fetch-site': 'same-origin' }
  const {
    body: { challenge },
  } = await ask(`${url}/api/auth/email`, 'POST', { email }, ours)
  const code = /\b\d{6}\b/.exec(await read(url, email))![0]
  const { cookie } = await ask(`${url}/api/auth/email/verify`, 'POST', { email, code, challenge }, ours)
  const {
    body: { deviceCode, userCode },
  } = await ask(`${url}/api/cli/device/start`, 'POST', { machine: 'test' }, {})
  await ask(`${url}/api/cli/device/approve`, 'POST', { userCode }, { ...ours, cookie })
  const {
    body: { token },
  } = await ask(`${url}/api/cli/device/poll?deviceCode=${String(deviceCode)}`, 'GET', undefined, {})
  const call = (method: string, path: string, body?: unknown, at = url) =>
    ask(at + path, method, body, { authorization: `Bearer ${String(token)}` })
  const {
    body: { termsVersion },
  } = await call('GET', '/api/traces/upload-policy')
  await call('POST', '/api/account/terms', { termsVersion, residencyConfirmed: true })
  await call('POST', '/api/account/application', {
    companyName: 'Test',
    incubatorBatch: 'W26',
    website: 'https://x.example',
    directoryUrl: 'https://x.example/d',
    email,
    role: 'engineer',
    authorized: true,
  })
  return {
    token: String(token),
    call,
    erase: async (at = url) => (await ask(`${at}/api/account`, 'DELETE', undefined, { ...ours, cookie })).status,
    async send(traces) {
      const { status, body } = await call('POST', '/api/ingest', { traces })
      if (status !== 202) throw new Error(`${status} ${JSON.stringify(body).slice(0, 500)}`)
      return String(body['jobId'])
    },
    async finished(jobId, at = url) {
      for (;;) {
        const {
          body: { job },
        } = await call('GET', `/api/ingest/jobs/${jobId}`, undefined, at)
        const { status } = job as Json
        if (status === 'done' || status === 'failed') return job as Json
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
    },
    async traces() {
      const ids: string[] = []
      let cursor: unknown = null
      do {
        const { body } = await call(
          'GET',
          `/api/traces?limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(String(cursor))}`}`,
        )
        ids.push(...(body['traces'] as { id: string }[]).map(({ id }) => id))
        cursor = body['nextCursor'] ?? null
      } while (cursor !== null)
      return ids
    },
  }
}

/** Returns traces of about `bytes` bytes each, all different. */
export function makeBatch(count: number, bytes: number, from = 0): unknown[] {
  return Array.from({ length: count }, (_, i) => ({
    sourceId: `trace-${from + i}`,
    createdAt: '2026-11-01T00:00:00Z',
    source: 'claude_code_jsonl',
    messages: [
      {
        role: 'user',
        content:
          `number ${from + i}: ${'please look at this function and say what it does. '.repeat(Math.ceil(bytes / 51))}`.slice(
            0,
            bytes,
          ),
      },
    ],
  }))
}

/** Returns traces that share no text, so that all of them can be sold together. */
export const makeUniqueBatch = (count: number): unknown[] =>
  makeBatch(count, 0).map((trace, n) => ({
    ...(trace as object),
    messages: [{ role: 'user', content: Array.from({ length: 60 }, (_, word) => `word${n}x${word}`).join(' ') }],
  }))

/**
 * Sends agent reports to a running server until it is stopped or the server is gone, and keeps the ids of acknowledged
 * reports.
 */
export function startWriting(url: string): { acknowledged: string[]; stop(): Promise<void> } {
  const acknowledged: string[] = []
  let stopped = false
  const done = (async () => {
    for (let at = 0; !stopped; at++) {
      const report = {
        reporter: { agent_vendor: 'a', agent_product: 'b' },
        subject: { surface: `surface ${at}` },
        content: { title: `report ${at}` },
      }
      const { status, body } = await ask(`${url}/api/v1/feedback`, 'POST', report, {})
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
      acknowledged.push(String((body['receipt'] as Json)['feedback_id']))
    }
  })()
  // `stop` reports the error. Killing the server also ends this loop.
  done.catch(() => undefined)
  return {
    acknowledged,
    stop() {
      stopped = true
      return done
    },
  }
}
