import type { Logger } from '../ports.ts'
import { fail, type Failure } from './failures.ts'
import type { PlainRequest } from './message.ts'
import { limitHeaders } from './consume-rate.ts'

/** How many bytes of request bodies may be under way at a time; null: any number. */
export interface BodyLimits {
  readonly personBodyBytes: number | null
  readonly processBodyBytes: number | null
}

/** Thrown where a body may not be read now; `failure` is the reply. */
class BodyRefused extends Error {
  override readonly name = 'BodyRefused'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.code)
    this.failure = failure
  }
}

const retrySeconds = 10
/** Bodies up to this size have the last eighth of the process's bytes for themselves, so that large ones do not keep them out. */
const smallBody = 1024 * 1024

/** Counts the bytes of request bodies that are under way in this process: what a body declares, or what came of one that does not. */
export interface OpenBodies {
  /**
   * Runs what reads the request's body, which counts from then until `run` ends, for the person and for the process. Returns what
   * `run` returns, or the refusal where a limit is reached.
   */
  during<T>(request: PlainRequest, personKey: string, run: (counted: PlainRequest) => Promise<T>): Promise<T | Failure>
}

/** Makes the counter of a process. */
export function openBodies({ personBodyBytes, processBodyBytes }: BodyLimits, logger: Logger): OpenBodies {
  const persons = new Map<string, number>()
  let total = 0

  function add(personKey: string, bytes: number, size: number): void {
    const held = persons.get(personKey) ?? 0
    if (personBodyBytes !== null && held + bytes > personBodyBytes) {
      throw new BodyRefused(
        fail(
          'rate_limited',
          {},
          limitHeaders({
            name: 'person_body_bytes',
            limit: personBodyBytes,
            remaining: Math.max(0, personBodyBytes - held),
            retrySeconds,
            unit: 'content-bytes',
          }),
        ),
      )
    }
    const most = processBodyBytes === null ? Infinity : Math.floor(processBodyBytes * (size > smallBody ? 7 / 8 : 1))
    if (total + bytes > most) {
      logger.warn(
        { event: 'body.process_limit', bytes: total, limit: processBodyBytes },
        'a body was refused: too many are under way',
      )
      throw new BodyRefused(
        fail(
          'unavailable',
          {},
          limitHeaders({
            name: 'process_body_bytes',
            limit: processBodyBytes!,
            remaining: Math.max(0, most - total),
            retrySeconds,
            unit: 'content-bytes',
          }),
        ),
      )
    }
    persons.set(personKey, held + bytes)
    total += bytes
  }

  function remove(personKey: string, bytes: number): void {
    const left = persons.get(personKey)! - bytes
    if (left > 0) persons.set(personKey, left)
    else persons.delete(personKey)
    total -= bytes
  }

  return {
    async during(request, personKey, run) {
      const { body } = request
      if (!body || (personBodyBytes === null && processBodyBytes === null)) return run(request)
      let counted = 0
      const grow = (bytes: number): void => {
        if (bytes <= 0) return
        add(personKey, bytes, counted + bytes)
        counted += bytes
      }
      async function* read(): AsyncGenerator<Uint8Array> {
        let received = 0
        for await (const chunk of body!()) {
          received += chunk.byteLength
          grow(received - counted)
          yield chunk
        }
      }
      const open = (): AsyncIterable<Uint8Array> => {
        grow(Number(request.headers['content-length'] ?? 0))
        return read()
      }
      try {
        return await run({ ...request, body: open })
      } catch (error) {
        if (error instanceof BodyRefused) return error.failure
        throw error
      } finally {
        if (counted > 0) remove(personKey, counted)
      }
    },
  }
}
