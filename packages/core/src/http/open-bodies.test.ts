import { describe, expect, test } from 'vitest'
import { silentLogger } from '../system.ts'
import { Failure } from './failures.ts'
import type { PlainRequest } from './message.ts'
import { createBodyBudget } from './body.ts'

const MiB = 1024 * 1024

/** Builds a request whose body arrives in these pieces; `declared` is its content-length. */
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

  test("refuses the body that exceeds a person's byte limit and names the limit, and accepts it after another body ended", async () => {
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

  test('returns 503 for a large body when all bodies together use seven eighths of the limit, and still accepts small bodies', async () => {
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
      // The bytes of both bodies are no longer counted.
      expect(await bodies.run(requestOf([10 * MiB], 10 * MiB), 'ann', readAll)).toBe(10 * MiB)
    }
  })

  test('does not count a body that was not opened or whose reader threw', async () => {
    const bodies = createBodyBudget(limits, silentLogger)
    expect(await bodies.run(requestOf([], 100 * MiB), 'ann', async () => 'not read')).toBe('not read')
    const broken = bodies.run(requestOf([MiB], 10 * MiB), 'ann', async (request) => {
      await readAll(request)
      throw new Error('broken')
    })
    await expect(broken).rejects.toThrow('broken')
    expect((await holdBody(bodies, 'ann', 10 * MiB)).refused).toBeNull()
  })

  test('does not change a request without a body', async () => {
    const bodies = createBodyBudget(limits, silentLogger)
    expect(await bodies.run({ ...requestOf([]), body: null }, 'ann', async ({ body }) => body)).toBeNull()
  })

  test('accepts every body if there are no limits', async () => {
    const bodies = createBodyBudget({ personBodyBytes: null, processBodyBytes: null }, silentLogger)
    expect(await bodies.run(requestOf([30 * MiB], 30 * MiB), 'ann', readAll)).toBe(30 * MiB)
  })
  test("applies the person's limit alone, and the process's limit alone", async () => {
    const ofPerson = createBodyBudget({ personBodyBytes: 3, processBodyBytes: null }, silentLogger)
    expect(await ofPerson.run(requestOf([3], 3), 'ann', readAll)).toBe(3)
    expect(await ofPerson.run(requestOf([4], 4), 'ann', readAll)).toMatchObject({ code: 'rate_limited' })
    const ofProcess = createBodyBudget({ personBodyBytes: null, processBodyBytes: 3 }, silentLogger)
    expect(await ofProcess.run(requestOf([3], 3), 'ann', readAll)).toBe(3)
    expect(await ofProcess.run(requestOf([4], 4), 'ann', readAll)).toMatchObject({ code: 'unavailable' })
  })

  test('counts each byte, even when a body arrives byte by byte and another body of the person stays open', async () => {
    const bodies = createBodyBudget({ personBodyBytes: 3, processBodyBytes: null }, silentLogger)
    expect(await bodies.run(requestOf([1, 1, 1, 1]), 'ann', readAll)).toMatchObject({ code: 'rate_limited' })
    const one = await holdBody(bodies, 'ann', 1)
    const two = await holdBody(bodies, 'ann', 2)
    const { refused } = await holdBody(bodies, 'ann', 1)
    expect(Object.fromEntries(refused!.headers)['ratelimit']).toBe('"person_body_bytes";r=0;t=10')
    // An empty body is accepted even when no bytes are left.
    expect(await bodies.run(requestOf([]), 'ann', readAll)).toBe(0)
    await two.end()
    expect((await holdBody(bodies, 'ann', 3)).refused).toMatchObject({ code: 'rate_limited' })
    await one.end()
    expect((await holdBody(bodies, 'ann', 3)).refused).toBeNull()
  })

  test('reserves the last eighth of all bytes for bodies of which at most a mebibyte has arrived', async () => {
    const large = createBodyBudget({ personBodyBytes: null, processBodyBytes: 8 * MiB }, silentLogger)
    const pieces = (count: number) => Array.from({ length: count }, () => MiB)
    expect(await large.run(requestOf(pieces(7)), 'ann', readAll)).toBe(7 * MiB)
    expect(await large.run(requestOf(pieces(8)), 'ann', readAll)).toMatchObject({ code: 'unavailable' })
    const held = await holdBody(large, 'ann', 6 * MiB)
    expect((await holdBody(large, 'bob', MiB + 1)).refused).toMatchObject({ code: 'unavailable' })
    for (const who of ['bob', 'cat']) expect((await holdBody(large, who, MiB)).refused).toBeNull()
    const { refused } = await holdBody(large, 'dan', 1)
    expect(Object.fromEntries(refused!.headers)['ratelimit']).toBe('"process_body_bytes";r=0;t=10')
    await held.end()
    expect((await holdBody(large, 'dan', 5 * MiB)).refused).toBeNull()
  })

  test('reads a large body to its end while small bodies use the reserved bytes', async () => {
    const bodies = createBodyBudget({ personBodyBytes: null, processBodyBytes: 8 * MiB }, silentLogger)
    const read = bodies.run(requestOf([3 * MiB, 3 * MiB], 6 * MiB), 'ann', async (request) => {
      let size = 0
      for await (const piece of request.body!()) {
        size += piece.byteLength
        if (size === 3 * MiB) for (const who of ['bob', 'cat']) await holdBody(bodies, who, MiB)
      }
      return size
    })
    expect(await read).toBe(6 * MiB)
  })
})
