import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { corpus } from '@tributary/test-kit/scrubber'
import { describe, expect, test } from 'vitest'
import { createScrubber as createBrowserScrubber } from './browser.ts'
import { createScrubber, type Detector, type PackId } from './index.ts'
import { VERSION } from './version.ts'

/** The recorded version, with a digest of the output for all labelled cases. */
const record = new URL('version.json', import.meta.url)

function digestOfOutputs(): string {
  const scrubber = createScrubber()
  const hash = createHash('sha256')
  for (const text of corpus()) {
    const done = scrubber.scrub([text])
    hash.update(done.ok ? `${done.texts[0]}\n` : `${done.reason}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

test('VERSION changes when the output of the labelled cases changes', { tags: 'long' }, () => {
  const recorded = JSON.parse(readFileSync(record, 'utf8')) as { version: string; digest: string }
  const digest = digestOfOutputs()
  const written = process.env['UPDATE'] && VERSION !== recorded.version ? { version: VERSION, digest } : recorded
  if (written !== recorded) writeFileSync(record, `${JSON.stringify(written, null, 2)}\n`)
  const todo = 'raise VERSION in version.ts, then UPDATE=1 npx vitest run packages/core/src/scrubber/version.test.ts'
  expect({ version: VERSION, digest }, todo).toEqual(written)
})

describe('version of createScrubber', () => {
  const rule = { id: 'badge', category: 'badge', placeholder: 'BADGE', keywords: ['badge-'], pattern: /badge-\d{4}/y }
  const detector: Detector = { id: 'names', category: 'person', placeholder: 'PERSON', find: () => [] }

  test('is VERSION without rules and detectors of an app', () => {
    expect(createScrubber({ rules: [], detectors: [], reject: ['email'] }).version).toBe(VERSION)
  })

  test('changes with a rule, a detector, or the version of a detector', () => {
    const versions = [
      {},
      { rules: [rule] },
      { rules: [{ ...rule, pattern: /badge-\d{5}/y }] },
      { rules: [{ ...rule, valid: (value: string) => value !== 'badge-0000' }] },
      { rules: [{ ...rule, valid: { not: /0000/ } }] },
      { rules: [{ ...rule, valid: { not: /1111/ } }] },
      { detectors: [detector] },
      { detectors: [{ ...detector, version: '2' }] },
      { rules: [rule], detectors: [detector] },
    ].map((options) => createScrubber(options).version)
    expect(new Set(versions).size).toBe(versions.length)
    expect(createScrubber({ rules: [{ ...rule }] }).version).toBe(versions[1])
  })

  test('depends on the packs, and is the same in a browser', () => {
    const versions = [[], ['services'], ['services', 'identity', 'countries']].map(
      (packs) => createScrubber({ packs: packs as PackId[] }).version,
    )
    expect(new Set(versions).size).toBe(versions.length)
    expect(versions.at(-1)).toBe(VERSION)
    expect(createBrowserScrubber().version).toBe(VERSION)
  })

  test('scrub applies the rules of an app', () => {
    expect(createScrubber({ rules: [rule] }).scrub(['my badge-1234 is lost'])).toMatchObject({
      texts: ['my [BADGE_1] is lost'],
      counts: { badge: 1 },
    })
    expect(createScrubber().scrub(['my badge-1234 is lost'])).toMatchObject({ total: 0 })
  })

  test('createScrubber throws for a rule without a sticky pattern or with the id of another rule', () => {
    expect(() => createScrubber({ rules: [{ ...rule, id: 'jwt' }] })).toThrow('rules: the id jwt is taken')
    expect(() => createScrubber({ rules: [{ ...rule, pattern: /badge/ }] })).toThrow('badge needs a pattern')
  })
})
