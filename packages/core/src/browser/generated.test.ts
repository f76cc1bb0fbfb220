import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
// @ts-expect-error -- a script without types
import { generateScripts } from '../../browser/bundle.mjs'

test('generated.ts contains the output of `npm run browser` for packages/core/browser', async () => {
  const written = await readFile(new URL('generated.ts', import.meta.url), 'utf8')
  expect(written === (await generateScripts())).toBe(true)
})
