import { describe, expect, test } from 'vitest'
import { Failure } from '../http/failures.ts'
import { createDownloadQueue, type Download, type DownloadQueue } from './download.ts'

const makeChunks = (count: number) => Array.from({ length: count }, (_, n) => new Uint8Array([n]))

/** Sends a download of `count` chunks. Throws when it is refused. */
function sendTo(queue: DownloadQueue, ownerId: string, count = 2): AsyncIterable<Uint8Array> {
  const sent = queue.send(ownerId, makeChunks(count))
  if (sent instanceof Failure) throw new Error(JSON.stringify(sent.headers))
  return sent
}

describe('DownloadQueue.read', () => {
  test('reads the downloads of one person one after another, and downloads of different people concurrently', async () => {
    const queue = createDownloadQueue({ clock: () => 0, yieldToEventLoop: async () => {} })
    const running: string[] = []
    const release: (() => void)[] = []
    const read = (ownerId: string, name: string) =>
      queue.read(ownerId, async (): Promise<Download> => {
        running.push(name)
        await new Promise<void>((resolve) => release.push(resolve))
        if (name === 'ann 1') throw new Error('an outage')
        return { kind: 'missing' }
      })
    const calls = [read('ann', 'ann 1'), read('ann', 'ann 2'), read('bob', 'bob 1')]
    const first = calls[0]!.catch((error: Error) => error.message)
    await new Promise(setImmediate)
    expect(running).toEqual(['ann 1', 'bob 1'])
    release[0]!()
    expect(await first).toBe('an outage')
    await new Promise(setImmediate)
    expect(running).toEqual(['ann 1', 'bob 1', 'ann 2'])
    release.forEach((one) => one())
    expect(await Promise.all(calls.slice(1))).toEqual([{ kind: 'missing' }, { kind: 'missing' }])
  })
})

describe('DownloadQueue.send', () => {
  test('sends the chunks in order, and yields to the event loop between two chunks', async () => {
    let turns = 0
    const queue = createDownloadQueue({ clock: () => 0, yieldToEventLoop: async () => void turns++ })
    const sent: number[] = []
    for await (const [byte] of sendTo(queue, 'ann', 3)) sent.push(byte!)
    expect([sent, turns]).toEqual([[0, 1, 2], 3])
  })

  test('allows eight open downloads for each person; a download that ends, disconnects or stalls for 30 s makes room', async () => {
    let now = 1_800_000_000_000
    const queue = createDownloadQueue({ clock: () => now, yieldToEventLoop: async () => {} })
    const open = Array.from({ length: 8 }, () => sendTo(queue, 'ann')[Symbol.asyncIterator]())
    const isRefused = (ownerId: string) => queue.send(ownerId, makeChunks(2)) instanceof Failure
    expect([isRefused('ann'), isRefused('bob')]).toEqual([true, false])

    await open[0]!.return!()
    expect([isRefused('ann'), isRefused('ann')]).toEqual([false, true])

    now += 29_999
    for (const one of open.slice(2)) await one.next()
    expect(isRefused('ann')).toBe(true)
    now += 1
    expect(isRefused('ann')).toBe(false)
    await expect(open[1]!.next()).rejects.toThrow('the client did not read its download')
    expect(await open[2]!.next()).toEqual({ done: false, value: new Uint8Array([1]) })
  })

  test('allows 64 open downloads for all people together; a download that stalls for 30 s makes room', async () => {
    let now = 1_800_000_000_000
    const queue = createDownloadQueue({ clock: () => now, yieldToEventLoop: async () => {} })
    const open = Array.from({ length: 64 }, (_, n) => sendTo(queue, `person ${n}`)[Symbol.asyncIterator]())
    const isRefused = (ownerId: string) => queue.send(ownerId, makeChunks(2)) instanceof Failure
    expect(isRefused('ann')).toBe(true)
    await open[0]!.return!()
    expect([isRefused('ann'), isRefused('bob')]).toEqual([false, true])
    now += 30_000
    expect(isRefused('bob')).toBe(false)
    await expect(open[1]!.next()).rejects.toThrow('the client did not read its download')
    expect(await open[2]!.next()).toEqual({ done: false, value: new Uint8Array([0]) })
  })

  test.each([
    ['one person', () => 'ann', '"person_downloads";q=8', '"person_downloads";r=0;t=10'],
    ['all people together', (n: number) => `${n}`, '"process_downloads";q=64', '"process_downloads";r=0;t=10'],
  ])('names the limit that refuses a download: of %s', (_, ownerOf, policy, state) => {
    const queue = createDownloadQueue({ clock: () => 0, yieldToEventLoop: async () => {} })
    const sent = Array.from({ length: 65 }, (_, n) => queue.send(ownerOf(n), makeChunks(2)))
    const headers = [
      ['retry-after', '10'],
      ['ratelimit-policy', policy],
      ['ratelimit', state],
    ]
    expect(sent.at(-1)).toMatchObject({ code: 'rate_limited', headers })
  })
})
