import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url)

// promise: prints-cyclonedx-document-what
test('SECURITY.md names tests, commands and pages that exist', () => {
  const page = readFileSync(new URL('SECURITY.md', root), 'utf8')
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    scripts: Record<string, string>
  }
  const tests = [...page.matchAll(/`([a-z/.-]+\.test\.ts)`/g)].map(([, path]) => `packages/${path}`)
  const pages = [...page.matchAll(/\]\(([^)#]+)/g)].map(([, path]) => path!)
  expect(tests.length).toBeGreaterThan(4)
  expect([...tests, ...pages].filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  for (const [, name] of page.matchAll(/npm run (?:--silent )?([a-z]+)/g)) expect(Object.keys(scripts)).toContain(name)
})
