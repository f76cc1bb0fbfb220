import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { adFlags, parseAds, parseGravity } from './ads.ts'
import { parseFlags } from './flag.fixture.ts'
import { UsageError } from './flag.ts'

const read = (argv: string[], env: Record<string, string> = {}) => parseFlags(adFlags, argv, env)

test('parseAds and parseGravity return nothing without flags', () => {
  expect([parseAds(read([])), parseGravity(read([]))]).toEqual([{}, undefined])
})

test('parseAds and parseGravity read flags and variables', () => {
  const [fresh, old] = ['n'.repeat(16), 'o'.repeat(20)]
  const flags = read(['--promotion-text', 'Hello', '--promotion-url', 'https://a.example/', '--gravity-test'], {
    TRIBUTARY_AD_SECRET: `${fresh}, ${old}`,
    TRIBUTARY_GRAVITY_KEY: 'none',
    TRIBUTARY_PIXEL_ID: 'px',
  })
  expect(parseAds(flags)).toEqual({
    secret: [fresh, old],
    promotion: { text: 'Hello', url: 'https://a.example/' },
    pixelId: 'px',
  })
  expect(parseGravity(flags)).toEqual({ apiKey: 'none', test: true })
  expect(parseGravity(read(['--gravity-key', 'none', '--gravity-url', 'http://127.0.0.1:1/ad']))).toMatchObject({
    endpoint: 'http://127.0.0.1:1/ad',
  })
  expect(() => parseGravity(read(['--gravity-key', 'none', '--gravity-url', 'there']))).toThrow(UsageError)
})

test.each([
  [['--ad-secret', 'short']],
  [['--promotion-text', 'Hello']],
  [['--promotion-url', 'https://a.example/']],
  [['--promotion-text', 'Hello', '--promotion-url', 'http://a.example/']],
  [['--promotion-text', 'Hello', '--promotion-url', 'here']],
])('parseAds throws UsageError for %j', (argv) => {
  expect(() => parseAds(read(argv))).toThrow(UsageError)
})

test('parseAds reads networks of a file, and names a missing file and a line that is not a network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-networks-'))
  try {
    const path = join(folder, 'networks.txt')
    const readNetworks = () => parseAds(read(['--datacenter-file', path]))
    expect(readNetworks).toThrow(new UsageError(`--datacenter-file: cannot read ${path} (ENOENT)`))
    writeFileSync(path, '# Example Cloud\r\n192.0.2.0/24\r\n\n2001:db8::/32 # Frankfurt\n')
    expect(readNetworks()).toEqual({ datacenters: ['192.0.2.0/24', '2001:db8::/32'] })
    writeFileSync(path, '192.0.2.0/33\n')
    expect(readNetworks).toThrow(
      new UsageError('--datacenter-file: "192.0.2.0/33" is not a network, such as 192.0.2.0/24 or 2001:db8::/32'),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
