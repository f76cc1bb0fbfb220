import { randomUUID } from 'node:crypto'
import type { Contributor } from '../../src/cli/cli.fixture.ts'
import {
  findDifferences,
  emptyLedger,
  type KnownTrace,
  type Ledger,
  type ListedTrace,
  type Outcome,
  type SentBatch,
} from './ledger.ts'

type Json = Record<string, unknown>
type Answer = { readonly status: number; readonly body: Json } | null

/** A contributor who never stops, and records every reply. */
export interface Person {
  readonly ledger: Ledger
  /** Repeats one action after the other until the signal. */
  live(signal: AbortSignal): Promise<void>
  /**
   * Waits for every job, and returns the differences between the ledger and the service. Call it after the last process
   * was killed.
   */
  check(): Promise<string[]>
}

/**
 * Simulates one person. `random` returns a number from 0 to 1, and `url` returns the address of a host that should be
 * running.
 */
export function simulatePerson(name: string, me: Contributor, random: () => number, url: () => string): Person {
  const ledger = emptyLedger()
  const ids = new Map<string, string>()
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
  let made = 0

  /** Sends a request. Returns null when no reply arrived, because the host was killed or is not running yet. */
  async function ask(method: string, path: string, body: unknown, allowed: readonly number[]): Promise<Answer> {
    ledger.acts++
    try {
      const { status, body: said } = await me.call(method, path, body, url())
      // 503 means that another host holds the file, or that this host is stopping. It is treated like a missing reply.
      if (allowed.includes(status)) return { status, body: said }
      if (status !== 503) ledger.wrong.push(`${method} ${path}: ${status} ${JSON.stringify(said).slice(0, 200)}`)
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    ledger.unanswered++
    return null
  }

  const traces = (sent: SentBatch): unknown[] =>
    sent.sourceIds.map((sourceId, i) => ({
      sourceId,
      createdAt: '2026-11-01T00:00:00Z',
      source: 'claude_code_jsonl',
      messages: [
        {
          role: 'user',
          content: `${sourceId} asks: ${'please look at this function and say what it does. '.repeat(1 + ((i * 37) % 60))}`,
        },
      ],
    }))

  async function post(sent: SentBatch): Promise<void> {
    const answer = await ask('POST', '/api/ingest', { traces: traces(sent) }, [202])
    if (!answer) return
    sent.jobId = String(answer.body['jobId'])
    for (const sourceId of sent.sourceIds) {
      const known = ledger.traces.get(sourceId)!
      if (known.kept === 'either') known.kept = true
    }
  }

  async function upload(): Promise<void> {
    const sent: SentBatch = {
      sourceIds: Array.from({ length: 1 + Math.floor(random() * 40) }, () => `${name}-${made++}`),
      jobId: null,
    }
    for (const sourceId of sent.sourceIds)
      ledger.traces.set(sourceId, { sourceId, kept: 'either', excluded: false, id: null })
    ledger.sent.push(sent)
    await post(sent)
  }

  /** Sends a request again if it got no reply, as a client does. */
  async function again(): Promise<void> {
    const lost = pick(ledger.sent.filter(({ jobId }) => jobId === null))
    if (lost) await post(lost)
  }

  async function learn(jobId: string): Promise<string | null> {
    const job = (await ask('GET', `/api/ingest/jobs/${jobId}`, undefined, [200]))?.body['job'] as Json | undefined
    if (job?.['status'] !== 'done') return job === undefined ? null : String(job['status'])
    const outcomes = (await ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, undefined, [200]))?.body['outcomes'] as
      | Outcome[]
      | undefined
    if (!outcomes) return null
    for (const { sourceId, traceId, outcome } of outcomes) {
      if (outcome === 'rejected') ledger.wrong.push(`${sourceId} was rejected`)
      const known = ledger.traces.get(sourceId)
      if (known && traceId !== null) {
        known.id = traceId
        ids.set(traceId, sourceId)
      }
    }
    return 'done'
  }

  const some = (): KnownTrace[] =>
    [...ledger.traces.values()]
      .filter(({ id, kept }) => id !== null && kept === true)
      .filter(() => random() < 0.1)
      .slice(0, 50)

  async function exclude(): Promise<void> {
    const chosen = some()
    if (chosen.length === 0) return
    const excluded = random() < 0.6
    const before = chosen.map((one) => one.excluded)
    for (const one of chosen) if (one.excluded !== excluded) one.excluded = 'either'
    const answer = await ask(
      'POST',
      '/api/traces/bulk',
      { ids: chosen.map(({ id }) => id), action: excluded ? 'exclude' : 'include' },
      [200],
    )
    if (!answer) return
    const updated = new Set(answer.body['updatedIds'] as string[])
    for (const [i, one] of chosen.entries()) {
      one.excluded = updated.has(one.id!) ? excluded : before[i]!
      if (!updated.has(one.id!)) ledger.wrong.push(`${one.sourceId} could not be excluded`)
    }
  }

  async function remove(): Promise<void> {
    const chosen = some().slice(0, 10)
    if (chosen.length === 0) return
    for (const one of chosen) one.kept = 'either'
    const answer = await ask('DELETE', '/api/traces/bulk', { ids: chosen.map(({ id }) => id) }, [200])
    const deleted = new Set((answer?.body['deletedIds'] ?? []) as string[])
    for (const one of chosen) if (answer) one.kept = !deleted.has(one.id!)
  }

  async function report(): Promise<void> {
    const key = pick([randomUUID(), ...ledger.reports.keys()])!
    const body = {
      reporter: { agent_vendor: 'soak', agent_product: 'soak' },
      subject: { surface: key },
      content: { title: `From ${key}` },
    }
    ledger.acts++
    try {
      const reply = await fetch(`${url()}/api/v1/feedback`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(body),
      })
      const { receipt } = (await reply.json()) as { receipt?: { feedback_id: string } }
      if (!receipt) return void ledger.unanswered++
      const had = ledger.reports.get(key)
      if (had !== undefined && had !== receipt.feedback_id)
        ledger.wrong.push(`one key gave two reports: ${had} and ${receipt.feedback_id}`)
      ledger.reports.set(key, receipt.feedback_id)
    } catch {
      ledger.unanswered++
    }
  }

  const look = async (): Promise<void> => {
    const open = pick(
      ledger.sent.filter(({ jobId, sourceIds }) => jobId !== null && ledger.traces.get(sourceIds[0]!)!.id === null),
    )
    if (open) await learn(open.jobId!)
    else await ask('GET', '/api/cli/session', undefined, [200])
  }

  return {
    ledger,
    async live(signal) {
      while (!signal.aborted) await pick([upload, upload, again, look, look, look, exclude, exclude, remove, report])!()
    },
    async check() {
      for (const { jobId } of ledger.sent) {
        if (jobId === null) continue
        for (let status = await learn(jobId); status !== 'done'; status = await learn(jobId)) {
          if (status === 'failed') return [`job ${jobId} failed`]
          await new Promise((resolve) => setTimeout(resolve, 200))
        }
      }
      const listed: ListedTrace[] = []
      for (let cursor = ''; ;) {
        const { body } = await me.call('GET', `/api/traces?limit=200${cursor}`, undefined, url())
        listed.push(...(body['traces'] as ListedTrace[]))
        if (body['nextCursor'] === null) break
        cursor = `&cursor=${encodeURIComponent(String(body['nextCursor']))}`
      }
      for (const { id } of listed)
        if (!ids.has(id))
          ids.set(id, String((await me.call('GET', `/api/traces/${id}/download`, undefined, url())).body['sourceId']))
      return [...ledger.wrong, ...findDifferences(ledger, listed, ids)]
    },
  }
}
