import { expect, test, vi } from 'vitest'
import { lazy, lazyIterables, lazyMethods } from './lazy.ts'

test('lazy loads a value once for concurrent calls, and then returns it without a promise', async () => {
  const load = vi.fn(async () => 'part')
  const part = lazy(load)
  expect(load).not.toHaveBeenCalled()
  expect(await Promise.all([part(), part()])).toEqual(['part', 'part'])
  expect(part()).toBe('part')
  expect(load).toHaveBeenCalledTimes(1)
})

test('lazy rejects every waiting call when loading fails, and loads again for the next call', async () => {
  const load = vi.fn(async () => 'part').mockRejectedValueOnce(new Error('no such file'))
  const part = lazy<string>(load)
  const asked = await Promise.allSettled([part(), part()])
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await part()).toBe('part')
  expect(load).toHaveBeenCalledTimes(2)
})

test('lazyMethods loads the port at the first call, and calls its methods on it', async () => {
  class Port {
    readonly #name = 'port'
    async greet({ word }: { word: string }): Promise<string> {
      return `${word} ${this.#name}`
    }
  }
  const load = vi.fn(async () => new Port())
  const { greet } = lazyMethods<Port, 'greet'>(load, ['greet'])
  expect(load).not.toHaveBeenCalled()
  expect(await greet({ word: 'to' })).toBe('to port')
})

test('lazyIterables loads the port at the first step, and yields the values of its method', async () => {
  interface Port {
    count(to: number): AsyncIterable<number>
  }
  let loads = 0
  const load = async (): Promise<Port> => {
    loads++
    return {
      async *count(to) {
        for (let i = 1; i <= to; i++) yield i
      },
    }
  }
  const { count } = lazyIterables<Port, 'count'>(load, ['count'])
  const numbers = count(2)
  expect(loads).toBe(0)
  const seen: number[] = []
  for await (const number of numbers) seen.push(number)
  expect([seen, loads]).toEqual([[1, 2], 1])
})
