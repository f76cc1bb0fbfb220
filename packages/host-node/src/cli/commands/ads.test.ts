import { expect, test } from 'vitest'
import { readFlags, UsageError } from '../flags.ts'
import { adFlags, adsOf, gravityOf } from './ads.ts'

const read = (argv: string[], env: NodeJS.ProcessEnv = {}) => readFlags(adFlags, argv, env)

test('nothing said is nothing set', () => {
  expect([adsOf(read([])), gravityOf(read([]))]).toEqual([{}, undefined])
})

test('secrets, promotion, pixel and network come from flags or variables', () => {
  const [fresh, old] = ['n'.repeat(16), 'o'.repeat(20)]
  const given = read(['--promotion-text', 'Hello', '--promotion-url', 'https://a.example/', '--gravity-test'], {
    TRIBUTARY_AD_SECRET: `${fresh}, ${old}`,
    TRIBUTARY_GRAVITY_KEY: 'none',
    TRIBUTARY_PIXEL_ID: 'px',
  })
  expect(adsOf(given)).toEqual({
    secret: [fresh, old],
    promotion: { text: 'Hello', url: 'https://a.example/' },
    pixelId: 'px',
  })
  expect(gravityOf(given)).toEqual({ apiKey: 'none', test: true })
  expect(gravityOf(read(['--gravity-key', 'none', '--gravity-url', 'http://127.0.0.1:1/ad']))).toMatchObject({
    endpoint: 'http://127.0.0.1:1/ad',
  })
  expect(() => gravityOf(read(['--gravity-key', 'none', '--gravity-url', 'there']))).toThrow(UsageError)
})

test.each([
  [['--ad-secret', 'short']],
  [['--promotion-text', 'Hello']],
  [['--promotion-url', 'https://a.example/']],
  [['--promotion-text', 'Hello', '--promotion-url', 'http://a.example/']],
  [['--promotion-text', 'Hello', '--promotion-url', 'here']],
])('%j is refused in words', (argv) => {
  expect(() => adsOf(read(argv))).toThrow(UsageError)
})
