import { drawHeldOut, traceCases } from '@tributary/test-kit/scrubber'
import { describe, expect, test } from 'vitest'
import { createScrubber } from './index.ts'

const scrubber = createScrubber()

describe.each(Object.entries(traceCases()))('scrub of whole traces: %s', (_, cases) => {
  test.each(cases.map((entry, index) => [entry.category, JSON.stringify(entry.texts), entry, index + 1] as const))(
    '%s: %s',
    (_category, _texts, entry, seed) => {
      const { texts, gone, stays } = drawHeldOut(entry, seed)
      const done = scrubber.scrub(texts)
      if (!done.ok) throw new Error(done.reason)
      const out = done.texts.join('\n')
      for (const value of gone) expect(out.toLowerCase()).not.toContain(value.toLowerCase())
      for (const value of stays) expect(out.toLowerCase()).toContain(value.toLowerCase())
      expect(scrubber.scrub(done.texts), 'a second pass changes nothing').toMatchObject({ total: 0 })
    },
  )
})
