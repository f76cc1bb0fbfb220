import { contentHash } from '@tributary/core'
import { check, type Check } from '../conformance/check.ts'
import { acceptTerms, approveContributor } from '../conformance/people.ts'
import { makeTrace, send, waitForJob } from '../conformance/stored-traces.ts'

/**
 * The number of pairs of uploads that are compared. By chance, all of them differ in one direction once in 32,768 runs.
 */
const pairs = 16
const vocabulary = 'amber basket candle dolphin ember falcon garden harbor island jungle kettle lantern'.split(' ')

/** Returns text that begins with `label`. The order of its words is different for each number. */
function makeText(label: string, number: number): string {
  let state = number + 1
  const words = Array.from({ length: 300 }, () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return vocabulary[(state >>> 8) % vocabulary.length]!
  })
  return `${label} ${words.join(' ')}`
}

/** Returns the content of a reply without ids, hashes, times and lengths. */
const redact = (text: string): string =>
  text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}|\d{4}-\d\d-\d\dT[^"]*|probe-\d+/g, '')

/** Attempts to learn whether another person has a text, by uploading this text. */
export const copyAttacks: readonly Check[] = [
  check(
    'API3',
    'neither replies nor their times tell whether another person has a text',
    ['operator', 'mailbox', 'contributor'],
    async ({ ask, own, stage }) => {
      const prober = await own('prober')
      await acceptTerms(stage, prober)
      await approveContributor(stage, prober)
      const as = prober.bearer
      const makeMessages = (number: number, isHeld: boolean) => {
        const text = makeText(`probe-${number} ${stage.run}`, number)
        // The same words in reverse order have the same length and share no text.
        return [{ role: 'user', content: isHeld ? text : text.split(' ').reverse().join(' ') }]
      }
      const held = Array.from({ length: pairs }, (_, n) =>
        makeTrace(stage, `held-${n}`, { messages: makeMessages(n, true) }),
      )
      await waitForJob(stage, await send(stage, held))

      const slower: Record<string, number> = {}
      for (let n = 0; n < pairs; n++) {
        const seen: { replies: string[]; times: Record<string, number> }[] = []
        // The order alternates, so that the warm-up of the first request affects both kinds equally.
        for (const isHeld of n % 2 === 0 ? [true, false] : [false, true]) {
          const trace = makeTrace(stage, `probe-${n}`, { sourceId: `${stage.run}-probe-${n}-${isHeld ? 'a' : 'b'}` })
          const messages = makeMessages(n, isHeld)
          const times: Record<string, number> = {}
          const timed = async <Reply>(name: string, run: () => PromiseLike<Reply>): Promise<Reply> => {
            const since = performance.now()
            const reply = await run()
            times[name] = performance.now() - since
            return reply
          }
          const hashes = [contentHash(messages)]
          const known = await timed('known', () => ask('POST', '/api/traces/known', { as, json: { hashes } }).is(200))
          const json = { traces: [{ ...trace, messages }] }
          const { json: queued } = await timed('ingest', () => ask('POST', '/api/ingest', { as, json }).is(202))
          await waitForJob(stage, queued.jobId, prober)
          const replies = [known.text]
          for (const path of [`/api/ingest/jobs/${queued.jobId}`, `/api/ingest/jobs/${queued.jobId}/outcomes`]) {
            const reply = await timed(path.endsWith('outcomes') ? 'outcomes' : 'job', () =>
              ask('GET', path, { as }).is(200),
            )
            replies.push(redact(reply.text).replace(/probe-\d+-[ab]|-[ab]"/g, ''))
          }
          const list = await timed('traces', () => ask('GET', '/api/traces?limit=1', { as }).is(200))
          const { tokenCount, estimatedUsd, redactions, state } = list.json.traces[0]
          replies.push(JSON.stringify({ tokenCount, estimatedUsd, redactions, state }))
          seen[isHeld ? 0 : 1] = { replies, times }
        }
        const [mine, other] = seen as [(typeof seen)[0], (typeof seen)[0]]
        const reply = await ask('GET', '/api/traces?limit=1', { as }).is(200)
        reply.must(
          mine.replies.join('\n') === other.replies.join('\n'),
          'the same replies for a text that another person has',
          `${mine.replies.join(' ')}, not ${other.replies.join(' ')}`,
        )
        for (const name of Object.keys(mine.times))
          slower[name] = (slower[name] ?? 0) + Number(mine.times[name]! > other.times[name]!)
      }
      const reply = await ask('GET', '/api/traces?limit=1', { as }).is(200)
      for (const [name, count] of Object.entries(slower))
        reply.must(count > 0 && count < pairs, `times of ${name} that do not tell`, `${count} of ${pairs} are slower`)
    },
  ),
]
