import { spawn, type ChildProcess } from 'node:child_process'
import { request } from 'node:http'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A `tributary dev` process with its own database and one contributor who may upload. */
export interface Host {
  readonly url: string
  readonly database: string
  readonly bearer: { readonly authorization: string }
  /** The header of the operator. */
  readonly operator: { readonly authorization: string }
  readonly userId: string
  /** Headers of the contributor's browser on one of our pages. */
  readonly cookie: { readonly 'cookie': string; readonly 'sec-fetch-site': string }
  /** The process id of the host. */
  readonly pid: number
  /** Returns resident memory now and its peak, in bytes. */
  memory(): { now: number; peak: number }
  /** Returns the processor time that the process took, in seconds. */
  processorTime(): number
  /** Stops the process. */
  stop(): Promise<void>
}

/** The path of the built command. */
export const cli = fileURLToPath(new URL('../cli.js', import.meta.url))

/** Creates a temporary folder; the caller removes it. */
export function createFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'tributary-bench-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Starts a program and resolves with the line of JSON that it prints when it is ready. */
export async function startProgram(
  args: readonly string[],
): Promise<{ child: ChildProcess; line: Record<string, string> }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const line = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout!.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const end = text.indexOf('\n')
      if (end >= 0) resolve(text.slice(0, end))
    })
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code} before it was ready`)))
  })
  return { child, line: JSON.parse(line) as Record<string, string> }
}

/** Stops a process that `startProgram` started. */
export function stopProgram(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

/** Sends JSON and returns the JSON of the reply. Throws on any failure, because a failed call must not be measured. */
export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Record<string, never>> {
  const response = await fetch(url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text) as Record<string, never>
}

/** Posts JSON over node:http and returns the JSON of the reply. Throws on any failure. */
export async function postJson(
  address: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Record<string, unknown>> {
  const { status, text } = await post(address, Buffer.from(JSON.stringify(body)), headers)
  if (status !== 200) throw new Error(`${address}: ${status} ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

/** Posts bytes over node:http, because `fetch` in the client costs more than the host. */
export function post(
  address: string,
  body: Buffer,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      address,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': String(body.length), ...headers },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      },
    )
    sent.once('error', reject).end(body)
  })
}

/** Starts the host and creates a contributor who may upload. */
export async function startHost(database: string, flags: readonly string[] = []): Promise<Host> {
  const { child, line } = await startProgram([
    cli,
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
    ...flags,
  ])
  const url = line['url']!
  const email = 'bench@example.com'
  const { bearer, cookie, userId } = await signIn(url, email)
  await becomeContributor(url, bearer, email)
  return {
    url,
    database,
    bearer,
    operator: { authorization: `Bearer ${line['adminToken']}` },
    cookie,
    userId,
    pid: child.pid!,
    memory() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      const kilobytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024
      return { now: kilobytes('VmRSS'), peak: kilobytes('VmHWM') }
    },
    processorTime() {
      // `fields` follow the program's name, which is in parentheses. The 12th and 13th field are the user time and the
      // system time in ticks of 10 ms.
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
      return (Number(fields[11]) + Number(fields[12])) / 100
    },
    stop: () => stopProgram(child),
  }
}

/** Accepts the terms and applies. This host approves the application immediately. */
export async function becomeContributor(url: string, bearer: Host['bearer'], email: string): Promise<void> {
  const policy = (await call(url, 'GET', '/api/traces/upload-policy', undefined, bearer)) as unknown as {
    termsVersion: string
  }
  await call(url, 'POST', '/api/account/terms', { termsVersion: policy.termsVersion, residencyConfirmed: true }, bearer)
  const access = (await call(url, 'GET', '/api/traces/access', undefined, bearer)) as unknown as { status: string }
  if (access.status === 'not_applied') {
    await call(
      url,
      'POST',
      '/api/account/application',
      { companyName: 'Bench', website: 'https://example.com', email, role: 'engineer', authorized: true },
      bearer,
    )
  }
}

/** Signs a user in by a mailed code and authorizes a device. */
export async function signIn(url: string, email: string): Promise<Pick<Host, 'bearer' | 'cookie' | 'userId'>> {
  const { challenge } = await call(url, 'POST', '/api/auth/email', { email })
  const [mail] = (await (await fetch(`${url}/dev/mail.json`)).json()) as { text: string }[]
  const code = /\b\d{6}\b/.exec(mail!.text)![0]
  const verified = await fetch(`${url}/api/auth/email/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, code, challenge }),
  })
  const cookie = verified.headers.getSetCookie()[0]!.split(';', 1)[0]!
  const own = { cookie, 'sec-fetch-site': 'same-origin' }
  const device = await call(url, 'POST', '/api/cli/device/start', { machine: 'bench' })
  await call(url, 'POST', '/api/cli/device/approve', { userCode: device['userCode'] }, own)
  const { token, userId } = (await call(
    url,
    'GET',
    `/api/cli/device/poll?deviceCode=${device['deviceCode']}`,
  )) as unknown as { token: string; userId: string }
  const bearer = { authorization: `Bearer ${token}` }
  return { bearer, cookie: own, userId }
}

let state = 1
const [consonants, vowels] = ['bdfgklmnprstvz', 'aeiou']

/** Returns one of 4,900 words, in an order that never repeats in this process. */
function nextWord(): string {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  let rest = state >>> 8
  let word = ''
  for (const letters of [consonants, vowels, consonants, vowels]) {
    word += letters[rest % letters.length]
    rest = Math.floor(rest / letters.length)
  }
  return word
}

/**
 * Returns a body for `POST /api/ingest`: `count` traces, each with about `bytes` bytes of text and code. The traces
 * share no text, because copies would add the work of comparing and marking them.
 */
export function createBatch(count: number, bytes: number, label: string): string {
  const words =
    'the quick function returns const value = await fetch(url) // and then we look at the error again, line '.split(' ')
  const traces = Array.from({ length: count }, (_, number) => {
    let text = `${label} ${number}: `
    for (let i = number; text.length < bytes; i++)
      text += `${words[i % words.length]} ${nextWord()} ${i % 97 === 0 ? '\n' : ''}`
    return {
      source: 'claude_code_jsonl',
      sourceId: `${label}-${number}`,
      model: 'model-1',
      createdAt: '2026-11-01T00:00:00Z',
      messages: [
        { role: 'user', content: `question ${label} ${number}` },
        { role: 'assistant', content: text },
      ],
    }
  })
  return JSON.stringify({ traces })
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Waits until a job is done. Throws when it failed. */
export async function waitForJob({ url, bearer }: Pick<Host, 'url' | 'bearer'>, jobId: string): Promise<void> {
  for (;;) {
    const { job } = (await call(url, 'GET', `/api/ingest/jobs/${jobId}`, undefined, bearer)) as unknown as {
      job: { status: string; errorMessage: string }
    }
    if (job.status === 'done') return
    if (job.status === 'failed') throw new Error(`the job failed: ${job.errorMessage}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
