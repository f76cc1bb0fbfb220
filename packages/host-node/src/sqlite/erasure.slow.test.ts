import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDatabaseBytes } from '@tributary/test-kit'
import { describe, expect, test, vi } from 'vitest'
import { built, signInContributor, startDev } from '../cli/cli.fixture.ts'

describe.skipIf(!built)('DELETE /api/account', () => {
  test('leaves no e-mail address, trace name or message of 20 erased accounts in the bytes of the database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-erasure-'))
    const path = join(folder, 'test.db')
    const server = await startDev(path)
    try {
      const people = Array.from({ length: 28 }, (_, person) => ({
        email: `quince-${(person * 37) % 97}-mail@example.com`,
        traces: Array.from({ length: 12 }, (_, at) => ({
          sourceId: `loquat ${person} ${at} name`,
          createdAt: '2026-11-01T00:00:00Z',
          source: 'claude_code_jsonl',
          messages: [
            {
              role: 'user',
              content: `kumquat ${person} ${at} begins ${'word '.repeat((person * 37 + at * 101) % 600)}`,
            },
          ],
        })),
      }))
      const listTexts = ({ email, traces }: (typeof people)[number]): string[] => [
        email,
        ...traces.flatMap(({ sourceId, messages }) => [sourceId, messages[0]!.content.slice(0, 20)]),
      ]
      const findTexts = async (texts: readonly string[]): Promise<string[]> => {
        const bytes = await readDatabaseBytes(path)
        return texts.filter((text) => bytes.includes(text))
      }
      const accounts = []
      for (const { email, traces } of people) {
        const account = await signInContributor(server.url, email)
        await account.finished(await account.send(traces))
        accounts.push(account)
      }
      const erased = people.slice(0, 20).flatMap(listTexts)
      const kept = people.slice(20).flatMap(listTexts)
      expect(await findTexts([...erased, ...kept])).toEqual([...erased, ...kept])
      for (const account of accounts.slice(0, 20)) expect(await account.erase()).toBe(200)
      // The log is emptied 5 s after a write.
      await vi.waitFor(async () => expect(await findTexts(erased)).toEqual([]), { interval: 500 })
      expect(await findTexts(kept)).toEqual(kept)
    } finally {
      await server.stop()
      rmSync(folder, { recursive: true })
    }
  })
})
