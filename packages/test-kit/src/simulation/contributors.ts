import { makeApplication } from '../faults/world.ts'
import { isCertain, wasRequested, type ModelJob, type ModelTrace, type Person, type SentText } from './model.ts'
import { clientOf, findMarkers, type Simulation, type Action } from './simulation.ts'
import type { Reply } from './world.ts'

/** Returns the trace that a contributor sends for a text. */
export function makeTrace({ sourceId, secret }: ModelTrace, { marker, body }: SentText): Record<string, unknown> {
  const words = body.split(' ')
  return {
    sourceId,
    createdAt: '2026-11-01T00:00:00Z',
    source: 'claude_code_jsonl',
    messages: [
      { role: 'user', content: `${marker} ${words.slice(0, 20).join(' ')}` },
      { role: 'assistant', content: `${words.slice(20).join(' ')} ${secret}` },
    ],
  }
}

/** Chooses the conversations that a contributor uploads: new ones, known ones again, longer versions, and copies. */
export function chooseTexts(sim: Simulation, person: Person): { trace: ModelTrace; text: SentText }[] {
  const { random, model, time } = sim
  const copyRate = person.name === 'cleo' ? 0.6 : 0.1
  return Array.from({ length: random.between(1, 3) }, () => {
    const number = random.chance(0.25) ? random.between(0, person.traces.size) : person.traces.size
    const trace = model.traceOf(person, `run-${model.people.indexOf(person)}-${number}`)
    const last = trace.texts.at(-1)
    const isRepeated = last !== undefined && random.chance(0.5)
    return { trace, text: isRepeated ? last : model.makeText(trace, { isCopied: random.chance(copyRate), time }) }
  })
}

const knownTraces = (person: Person): ModelTrace[] => [...person.traces.values()].filter(({ id }) => id !== null)

/** Returns the ids of traces of other people. */
const foreignIds = (sim: Simulation, person: Person): string[] =>
  sim.model.knownTraces().flatMap(({ owner, id }) => (owner === person ? [] : [id!]))

/** Checks the reply to an upload. A pause by an operator or by the person closes uploads. */
function checkUpload(sim: Simulation, person: Person, reply: Reply, start: number): void {
  if (reply.status === 202) {
    sim.check(
      !isCertain(person, 'pause', start, sim.time),
      () => `an upload of ${person.name} was accepted while an operator's pause holds`,
    )
    sim.check(
      !isCertain(person, 'pauseOwn', start, sim.time),
      () => `an upload of ${person.name} was accepted during a pause of their own`,
    )
    sim.check(wasRequested(person, 'approve'), () => `an upload of ${person.name} was accepted without approval`)
  } else {
    const mayBe =
      reply.json.error === 'contributor_paused'
        ? wasRequested(person, 'pause') || wasRequested(person, 'pauseOwn')
        : reply.json.error === 'contributor_approval_required' && !isCertain(person, 'approve', start, sim.time)
    sim.check(mayBe, () => `an upload of ${person.name} answered ${reply.text}`)
  }
}

/** Checks the document that the owner of a trace downloaded. */
function checkDocument(sim: Simulation, trace: ModelTrace, text: string, start: number): void {
  for (const marker of findMarkers(text))
    sim.check(
      sim.model.markers.get(marker) === trace,
      () => `the document of ${trace.sourceId} has the text ${marker} of another trace`,
    )
  const { terms } = trace.owner
  const isSold = sim.model.sales.some(({ soldIds }) => soldIds === null || soldIds.includes(trace.id!))
  if (terms && terms.since < start && terms.list.includes(trace.secret) && !isSold)
    sim.check(!text.includes(trace.secret), () => `the document of ${trace.sourceId} has a blocked term`)
}

/** Reads a job and its outcomes. */
async function lookAtJob(sim: Simulation, person: Person, job: ModelJob): Promise<void> {
  const path = `/api/ingest/jobs/${job.id}`
  const start = sim.time
  const status = await sim.ask(clientOf(person), { method: 'GET', path }, [200])
  if (status?.json.job.status === 'done') job.doneAt ??= sim.time
  else if (status)
    sim.check(job.doneAt === null || job.doneAt > start, () => `job ${job.id} was done and is not any more`)
  const reply = await sim.ask(clientOf(person), { method: 'GET', path: `${path}/outcomes` }, [200])
  if (reply?.status === 200) learnOutcomes(sim, person, job.sourceIds, reply.json.outcomes)
}

/** Records an acknowledged job, and in most cases waits for its end, as the command line does. */
async function followJob(sim: Simulation, person: Person, jobId: string, traces: readonly ModelTrace[]): Promise<void> {
  // A repeated request returns the job of the first request.
  const known = person.jobs.find(({ id }) => id === jobId)
  const job = known ?? { id: jobId, sourceIds: traces.map(({ sourceId }) => sourceId), doneAt: null }
  if (!known) person.jobs.push(job)
  if (sim.random.chance(0.3)) return
  await sim.world.scheduler.sleep(sim.random.between(500, 20_000))
  await lookAtJob(sim, person, job)
}

/** The actions of a person with traces. */
export const contributorActions: readonly Action<Person>[] = [
  {
    name: 'upload',
    weight: 6,
    async act(sim, person) {
      const texts = chooseTexts(sim, person)
      const start = sim.time
      const json = { traces: texts.map(({ trace, text }) => makeTrace(trace, text)) }
      const reply = await sim.insist(clientOf(person), { method: 'POST', path: '/api/ingest', json }, [202, 403])
      if (!reply) return
      checkUpload(sim, person, reply, start)
      const traces = texts.map(({ trace }) => trace)
      if (reply.status === 202) await followJob(sim, person, reply.json.jobId, traces)
    },
  },
  {
    name: 'upload by PUT',
    weight: 2,
    async act(sim, person) {
      const texts = chooseTexts(sim, person)
      const start = sim.time
      const bytes = Buffer.from(JSON.stringify({ traces: texts.map(({ trace, text }) => makeTrace(trace, text)) }))
      const client = clientOf(person)
      const made = await sim.insist(
        client,
        { method: 'POST', path: '/api/ingest/uploads', json: { bytes: bytes.length } },
        [200, 403],
      )
      if (!made) return
      if (made.status !== 200) return checkUpload(sim, person, made, start)
      const { url, headers, uploadId } = made.json as { url: string; headers: Record<string, string>; uploadId: string }
      const path = new URL(url).pathname
      const put = await sim.insist(
        { ...client, headers: {} },
        { method: 'PUT', path, headers, bytes },
        [200, 404, 409, 410],
      )
      if (put?.status !== 200) return
      const reply = await sim.insist(
        client,
        { method: 'POST', path: '/api/ingest', json: { uploadId } },
        [202, 403, 404, 409, 410],
      )
      if (reply?.status !== 202) return
      checkUpload(sim, person, reply, start)
      const traces = texts.map(({ trace }) => trace)
      await followJob(sim, person, reply.json.jobId, traces)
    },
  },
  {
    name: 'apply',
    weight: 3,
    async act(sim, person) {
      if (wasRequested(person, 'approve')) return
      const json = makeApplication(person.signed.email)
      await sim.insist(clientOf(person), { method: 'POST', path: '/api/account/application', json }, [200, 409])
    },
  },
  {
    name: 'look at a job',
    weight: 3,
    async act(sim, person) {
      if (person.jobs.length > 0) await lookAtJob(sim, person, sim.random.pick(person.jobs))
    },
  },
  {
    name: 'exclude or include',
    weight: 3,
    async act(sim, person) {
      const traces = knownTraces(person)
      if (traces.length === 0) return
      const trace = sim.random.pick(traces)
      const sellExcluded = sim.random.chance(0.6)
      const request = { method: 'PATCH', path: `/api/traces/${trace.id}`, json: { sellExcluded } }
      const start = sim.time
      const reply = await sim.operate(
        sellExcluded ? 'exclude' : 'include',
        [trace],
        () => sim.insist(clientOf(person), request, [200, 404, 409]),
        ({ status }) => status === 200,
      )
      if (reply?.status === 200) checkUnsold(sim, trace, start)
    },
  },
  {
    name: 'exclude or include several',
    weight: 3,
    async act(sim, person) {
      const traces = sim.random.sample(knownTraces(person), 0.5)
      const foreign = sim.random.sample(foreignIds(sim, person), 0.1).slice(0, 3)
      if (traces.length === 0) return
      const action = sim.random.pick(['exclude', 'include'] as const)
      const ids = [...traces.map(({ id }) => id!), ...foreign]
      const reply = await sim.operate(
        action,
        traces,
        () => sim.insist(clientOf(person), { method: 'POST', path: '/api/traces/bulk', json: { ids, action } }, [200]),
        ({ json }, { id }) => (json.updatedIds as string[]).includes(id!),
      )
      for (const id of (reply?.json.updatedIds as string[] | undefined) ?? [])
        sim.check(!foreign.includes(id), () => `${person.name} changed the trace ${id} of somebody else`)
    },
  },
  {
    name: 'delete',
    weight: 3,
    async act(sim, person) {
      const traces = sim.random.sample(knownTraces(person), 0.3)
      const foreign = sim.random.sample(foreignIds(sim, person), 0.1).slice(0, 3)
      if (traces.length === 0) return
      const ids = [...traces.map(({ id }) => id!), ...foreign]
      const start = sim.time
      const reply = await sim.operate(
        'delete',
        traces,
        () => sim.insist(clientOf(person), { method: 'DELETE', path: '/api/traces/bulk', json: { ids } }, [200]),
        // If an earlier attempt deleted a trace, the reply to the repeated request contains the trace in neither field.
        ({ json }, { id }) => !(json.skippedSoldIds as string[]).includes(id!),
      )
      if (!reply) return
      const { deletedIds, skippedSoldIds } = reply.json as { deletedIds: string[]; skippedSoldIds: string[] }
      for (const id of [...deletedIds, ...skippedSoldIds])
        sim.check(
          !foreign.includes(id),
          () => `${person.name} deleted the trace ${id} of somebody else, or learned of it`,
        )
      for (const trace of traces) if (deletedIds.includes(trace.id!)) checkUnsold(sim, trace, start)
    },
  },
  {
    name: 'look at a trace',
    weight: 4,
    async act(sim, person) {
      const traces = knownTraces(person)
      if (traces.length === 0) return
      const trace = sim.random.pick(traces)
      const start = sim.time
      const path = `/api/traces/${trace.id}${sim.random.chance(0.6) ? '/download' : ''}`
      const reply = await sim.ask(clientOf(person), { method: 'GET', path }, [200, 404])
      if (!reply) return
      if (isCertain(trace, 'delete', start, sim.time))
        sim.check(reply.status === 404, () => `${trace.sourceId} was deleted and can be read`)
      else if (!wasRequested(trace, 'delete'))
        sim.check(reply.status === 200, () => `${trace.sourceId} was stored and cannot be read`)
      if (reply.status === 200) checkDocument(sim, trace, reply.text, start)
    },
  },
  {
    name: 'look at what is of others',
    weight: 1,
    async act(sim, person) {
      const { random, model } = sim
      const jobs = model.people.flatMap((one) => (one === person ? [] : one.jobs.map(({ id }) => id)))
      const ids = foreignIds(sim, person)
      const paths = [
        ...jobs.flatMap((id) => [`/api/ingest/jobs/${id}`, `/api/ingest/jobs/${id}/outcomes`]),
        ...ids.flatMap((id) => [`/api/traces/${id}`, `/api/traces/${id}/download`]),
      ]
      if (paths.length > 0) await sim.ask(clientOf(person), { method: 'GET', path: random.pick(paths) }, [404])
    },
  },
  {
    name: 'list traces',
    weight: 2,
    async act(sim, person) {
      const start = sim.time
      const reply = await sim.ask(clientOf(person), { method: 'GET', path: '/api/traces?limit=200' }, [200])
      if (!reply) return
      const listed = (reply.json.traces as { id: string }[]).map(({ id }) => id)
      sim.check(new Set(listed).size === listed.length, () => `a list of ${person.name} has a trace twice`)
      for (const trace of knownTraces(person)) {
        if (isCertain(trace, 'delete', start, sim.time))
          sim.check(!listed.includes(trace.id!), () => `${trace.sourceId} was deleted and is listed`)
        else if (!wasRequested(trace, 'delete') && !wasRequested(person, 'erase'))
          sim.check(
            listed.includes(trace.id!) || trace.storedAt! >= start,
            () => `${trace.sourceId} was stored and is not listed`,
          )
      }
    },
  },
  {
    name: 'pause or resume uploads',
    weight: 1,
    async act(sim, person) {
      const paused = sim.random.chance(0.4)
      await sim.operate(
        paused ? 'pauseOwn' : 'resumeOwn',
        [person],
        () => sim.insist(clientOf(person), { method: 'PATCH', path: '/api/account', json: { paused } }, [200]),
        ({ status }) => status === 200,
      )
    },
  },
  {
    name: 'block a term',
    weight: 1,
    async act(sim, person) {
      const { terms } = person
      const trace = sim.random.pick([...knownTraces(person), null])
      if (!trace || !terms) return
      // The terms are unknown until the reply arrives.
      person.terms = null
      const list = [...new Set([...terms.list, trace.secret])]
      const { timeouts } = sim.world
      const request = { method: 'PUT', path: '/api/account/blocked-terms', json: { terms: list } }
      const reply = await sim.insist(clientOf(person), request, [200])
      if (reply && sim.world.timeouts === timeouts) person.terms = { list, since: sim.time }
    },
  },
]

/** Checks that no earlier reply said that a trace was sold. */
function checkUnsold(sim: Simulation, trace: ModelTrace, start: number): void {
  sim.check(
    !sim.model.sales.some(({ end, soldIds }) => end < start && soldIds?.includes(trace.id!)),
    () => `${trace.sourceId} was sold and then changed or deleted`,
  )
}

/** Records the traces that a job stored. */
export function learnOutcomes(
  sim: Simulation,
  person: Person,
  sourceIds: readonly string[],
  outcomes: readonly { index: number; outcome: string; traceId: string | null }[],
): void {
  for (const { index, outcome, traceId } of outcomes) {
    const sourceId = sourceIds[index]
    if (sourceId === undefined) return sim.violate(`a job of ${person.name} has an outcome of index ${index}`)
    if (outcome !== 'stored' && outcome !== 'updated') continue
    const problem = sim.model.learnId(sim.model.traceOf(person, sourceId), traceId!, sim.time)
    if (problem) sim.violate(problem)
  }
}
