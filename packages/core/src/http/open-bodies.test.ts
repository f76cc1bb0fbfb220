import { describe, expect, test } from 'vitest'
import { silentLogger } from '../system.ts'
import { Failure } from './failures.ts'
import type { PlainRequest } from './message.ts'
import { createBodyBudget } from './body.ts'

const MiB = 1024 * 1024

/** Builds a request whose body comes in these pieces; `declared` is its content-length. */
function requestOf(pieces: readonly number[], declared?: number): PlainRequest {
  return {
    method: 'POST',
    path: '/',
    query: [],
    address: null,
    headers: declared === undefined ? {} : { 'content-length': String(declared) },
    async *body() {
      for (const size of pieces) yield new Uint8Array(size)
    },
  }
}

async function readAll(request: PlainRequest): Promise<number> {
  let size = 0
  for await (const piece of request.body!()) size += piece.byteLength
  return size
}

describe('openBodies', () => {
  const limits = { personBodyBytes: 10 * MiB, processBodyBytes: 24 * MiB }

  /** Opens a body of this declared size and leaves it open until the returned function is called. */
  async function holdBody(
    bodies: ReturnType<typeof createBodyBudget>,
    personKey: string,
    declared: number,
  ): Promise<{ end(): Promise<unknown>; refused: Failure | null }> {
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    let resolveOpened = (): void => undefined
    const isOpen = new Promise<void>((resolve) => (resolveOpened = resolve))
    const ended = bodies.run(requestOf([declared], declared), personKey, async (request) => {
      await readAll(request)
      resolveOpened()
      await released
    })
    const first = await Promise.race([isOpen, ended])
    return { refused: first instanceof Failure ? first : null, end: () => (release(), ended) }
  }

  test("refuses the body that exceeds a person's bytes and names the limit, and accepts it after another body ended", async () => {
    const bodies = createBodyBudget(limits, silentLogger)
    const first = await holdBody(bodies, 'ann', 6 * MiB)
    const { refused } = await holdBody(bodies, 'ann', 5 * MiB)
    expect(refused).toMatchObject({ code: 'rate_limited' })
    expect(refused!.headers).toEqual([
      ['retry-after', '10'],
      ['ratelimit-policy', '"person_body_bytes";q=10485760;qu="content-bytes"'],
      ['ratelimit', '"person_body_bytes";r=4194304;t=10'],
    ])
    expect((await holdBody(bodies, 'bob', 5 * MiB)).refused).toBeNull()
    await first.end()
    expect((await holdBody(bodies, 'ann', 10 * MiB)).refused).toBeNull()
  })

  test('returns 503 for a large body when all bodies use seven eighths of the limit, and still accepts small ones', async () => {
    const bodies = createBodyBudget(limits, silentLogger)
    for (const who of ['ann', 'bob']) expect((await holdBody(bodies, who, 10 * MiB)).refused).toBeNull()
    const { refused } = await holdBody(bodies, 'cat', 2 * MiB)
    expect(refused).toMatchObject({ code: 'unavailable' })
    expect(refused!.headers).toEqual([
      ['retry-after', '10'],
      ['ratelimit-policy', '"process_body_bytes";q=25165824;qu="content-bytes"'],
      ['ratelimit', '"process_body_bytes";r=1048576;t=10'],
    ])
    for (let n = 0; n < 4; n++) expect((await holdBody(bodies, `small ${n}`, MiB)).refused).toBeNull()
    expect((await holdBody(bodies, 'small', MiB)).refused).toMatchObject({ code: 'unavailable' })
  })

  test('counts the received bytes of a body without a declared length or longer than declared', async () => {
    for (const declared of [undefined, 1]) {
      const bodies = createBodyBudget(limits, silentLogger)
      expect(await bodies.run(requestOf([4 * MiB, 4 * MiB], declared), 'ann', readAll)).toBe(8 * MiB)
      expect(await bodies.run(requestOf([4 * MiB, 4 * MiB, 4 * MiB], declared), 'ann', readAll)).toMatchObject({
        code: 'rate_limited',
      })
      // Nothing of either is counted any more.
      expect(await bodies.run(requestOf([10 * MiB], 10 * MiB), 'ann', readAll)).toBe(10 * MiB)
    }
  })

  test('counts no body that was not opened or whose reader threw', async () => {
    const bodies = createBodyBudget(limits, silentLogger)
    expect(await bodies.run(requestOf([], 100 * MiB), 'ann', async () => 'not read')).toBe('not read')
    const broken = bodies.run(requestOf([MiB], 10 * MiB), 'ann', async (request) => {
      await readAll(request)
      throw new Error('broken')
    })
    await expect(broken).rejects.toThrow('broken')
    expect((await holdBody(bodies, 'ann', 10 * MiB)).refused).toBeNull()
  })

  test('refuses nothing without limits', async () => {
    const bodies = createBodyBudget({ personBodyBytes: null, processBodyBytes: null }, silentLogger)
    expect(await bodies.run(requestOf([30 * MiB], 30 * MiB), 'ann', readAll)).toBe(30 * MiB)
  })
})
