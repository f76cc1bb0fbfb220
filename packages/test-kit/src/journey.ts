import { gzipSync } from 'node:zlib'
import type { HostReply, HostUnderTest } from './wire.ts'

type Json = Record<string, unknown>

/** A reply with its JSON. */
export interface Said {
  readonly status: number
  readonly json: Json
  readonly reply: HostReply
}

/** A contributor at a host: signed in by mail, with a token from the device login, allowed to upload. */
export interface Traveller {
  readonly token: string
  /** The `cookie` header of their browser. */
  readonly cookie: string
  call(method: string, path: string, json?: unknown, headers?: readonly (readonly [string, string])[]): Promise<Said>
  /** Sends a batch; resolves with the job's id. */
  send(traces: readonly unknown[], how?: { readonly gzip?: boolean }): Promise<string>
  job(jobId: string): Promise<Json>
  /** Every outcome of a job, by name. */
  outcomes(jobId: string): Promise<string[]>
  /** Ids of everything stored. */
  traces(): Promise<string[]>
}

export interface Journey {
  readonly request: HostUnderTest['request']
  readonly email: string
  /** The six digits that were mailed. */
  readonly code: (email: string) => string | Promise<string>
  /** Where the service is mounted. */
  readonly prefix?: string
}

/**
 * Goes the whole way of a new contributor over a host's public interface: code by mail, device login, terms, application.
 * The service must approve by itself and know the country. Throws where a step is refused.
 */
export async function travel({ request, email, code, prefix = '' }: Journey): Promise<Traveller> {
  const ask = async (method: string, path: string, json?: unknown, headers: readonly (readonly [string, string])[] = []): Promise<Said> => {
    const body = json === undefined ? [] : [Buffer.from(JSON.stringify(json))]
    const reply = await request(method, prefix + path, [...(json === undefined ? [] : [['content-type', 'application/json'] as const]), ...headers], body)
    const text = Buffer.from(reply.body).toString()
    return { status: reply.status, json: text.startsWith('{') ? JSON.parse(text) as Json : {}, reply }
  }
  const must = async (said: Promise<Said>): Promise<Said> => {
    const { status, json, reply } = await said
    if (status >= 400) throw new Error(`a step was refused: ${status} ${JSON.stringify(json)}`)
    return { status, json, reply }
  }
  const ours = ['sec-fetch-site', 'same-origin'] as const
  const { challenge } = (await must(ask('POST', '/api/auth/email', { email }, [ours]))).json
  const verified = await must(ask('POST', '/api/auth/email/verify', { email, code: await code(email), challenge }, [ours]))
  const cookie = (verified.reply.headers.find(([name]) => name === 'set-cookie')?.[1] ?? '').split(';')[0]!
  const { deviceCode, userCode } = (await must(ask('POST', '/api/cli/device/start', { machine: 'test' }))).json
  await must(ask('POST', '/api/cli/device/approve', { userCode }, [ours, ['cookie', cookie]]))
  const polled = await must(ask('GET', `/api/cli/device/poll?deviceCode=${String(deviceCode)}`))
  const token = String(polled.json['token'])
  const bearer = ['authorization', `Bearer ${token}`] as const
  const call: Traveller['call'] = (method, path, json, headers = []) => ask(method, path, json, [bearer, ...headers])
  const { termsVersion } = (await must(call('GET', '/api/traces/upload-policy'))).json
  await must(call('POST', '/api/account/terms', { termsVersion, residencyConfirmed: true }))
  await must(call('POST', '/api/account/application', {
    companyName: 'Test', incubatorBatch: 'W26', website: 'https://x.example', directoryUrl: 'https://x.example/d', email, role: 'engineer', authorized: true,
  }))
  const job = async (jobId: string): Promise<Json> => (await must(call('GET', `/api/ingest/jobs/${jobId}`))).json['job'] as Json
  return {
    token, cookie, call, job,
    async send(traces, { gzip = false } = {}) {
      const plain = Buffer.from(JSON.stringify({ traces }))
      const headers: [string, string][] = [['content-type', 'application/json'], [...bearer], ...(gzip ? [['content-encoding', 'gzip'] as [string, string]] : [])]
      const reply = await request('POST', `${prefix}/api/ingest`, headers, [gzip ? gzipSync(plain) : plain])
      const text = Buffer.from(reply.body).toString()
      if (reply.status !== 202) throw new Error(`the batch was refused: ${reply.status} ${text.slice(0, 300)}`)
      return String((JSON.parse(text) as Json)['jobId'])
    },
    async outcomes(jobId) {
      const { json } = await must(call('GET', `/api/ingest/jobs/${jobId}/outcomes`))
      return (json['outcomes'] as { outcome: string }[]).map(({ outcome }) => outcome)
    },
    async traces() {
      const ids: string[] = []
      for (let cursor = ''; ;) {
        const { json } = await must(call('GET', `/api/traces?limit=200${cursor}`))
        ids.push(...(json['traces'] as { id: string }[]).map(({ id }) => id))
        if (json['nextCursor'] === null) return ids
        cursor = `&cursor=${encodeURIComponent(String(json['nextCursor']))}`
      }
    },
  }
}

/** Traces of about `bytes` characters each, all different. */
export function sentTraces(count: number, bytes = 60, label = 'trace'): unknown[] {
  return Array.from({ length: count }, (_, i) => ({
    sourceId: `${label}-${i}`, createdAt: '2026-11-01T00:00:00Z', source: 'claude_code_jsonl',
    messages: [{ role: 'user', content: `${label} number ${i}: ${'please look at this function and say what it does. '.repeat(Math.ceil(bytes / 51))}`.slice(0, bytes) }],
  }))
}
