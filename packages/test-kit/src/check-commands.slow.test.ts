import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const check = fileURLToPath(new URL('../../../.ci/check.mjs', import.meta.url))

test.each(['conformance', 'feedback-protocol', 'faults', 'attacks', 'simulate'])(
  'npm run check -- %s finds every package that it imports, and prints its help',
  async (name) => {
    const { stdout } = await promisify(execFile)(process.execPath, [check, name, '--help'])
    expect(stdout).toContain(`npm run check -- ${name}`)
  },
)
