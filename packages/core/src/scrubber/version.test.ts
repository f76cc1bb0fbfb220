import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { corpus } from '@tributary/test-kit/scrubber'
import { expect, test } from 'vitest'
import { createScrubber } from './index.ts'
import { VERSION } from './version.ts'

/** The version and a digest of what it makes of every labelled case. */
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

test('VERSION changes when the output of the labelled cases changes', () => {
  const recorded = JSON.parse(readFileSync(record, 'utf8')) as { version: string; digest: string }
  const digest = digestOfOutputs()
  const isRaised = digest !== recorded.digest && VERSION !== recorded.version
  const written = process.env['UPDATE'] && isRaised ? { version: VERSION, digest } : recorded
  if (written !== recorded) writeFileSync(record, `${JSON.stringify(written, null, 2)}\n`)
  const todo = 'raise VERSION in version.ts, then UPDATE=1 npx vitest run packages/core/src/scrubber/version.test.ts'
  expect({ version: VERSION, digest }, todo).toEqual(written)
})
