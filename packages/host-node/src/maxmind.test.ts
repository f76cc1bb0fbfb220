import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { maxmindCountry } from './maxmind.ts'

// A hand-built MaxMind DB (https://maxmind.github.io/MaxMind-DB/): a tree of 24-bit records, 16 zero bytes, data,
// metadata.

/** Encodes a value: a text of less than 29 bytes, a map of less than 29 keys, or an integer by its type. */
function encode(value: unknown): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([Buffer.from([(2 << 5) | Buffer.byteLength(value)]), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([Buffer.from([(6 << 5) | 4]), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 11 - 7]), ...value.map(encode)])
  const entries = Object.entries(value as object)
  return Buffer.concat([
    Buffer.from([(7 << 5) | entries.length]),
    ...entries.flatMap(([key, inner]) => [encode(key), encode(inner)]),
  ])
}

type Tree = [Tree | number | null, Tree | number | null]

/** Builds an IPv6 tree with these networks, each a string of bits. The tree contains IPv4 below 96 zeros. */
function buildDatabase(networks: Record<string, object>): Buffer {
  const root: Tree = [null, null]
  const pieces: Buffer[] = []
  let size = 0
  for (const [bits, value] of Object.entries(networks)) {
    let at = root
    for (const bit of bits.slice(0, -1)) at = (at[Number(bit)] ??= [null, null]) as Tree
    at[Number(bits.at(-1))] = size
    pieces.push(encode(value))
    size += pieces.at(-1)!.length
  }
  const nodes: Tree[] = []
  const numberNodes = (node: Tree): void =>
    void (nodes.push(node), node.forEach((child) => Array.isArray(child) && numberNodes(child)))
  numberNodes(root)
  const encodeRecord = (child: Tree | number | null): number =>
    child === null ? nodes.length : Array.isArray(child) ? nodes.indexOf(child) : nodes.length + 16 + child
  const tree = Buffer.concat(
    nodes.map((node) => {
      const bytes = Buffer.alloc(6)
      bytes.writeUIntBE(encodeRecord(node[0]), 0, 3)
      bytes.writeUIntBE(encodeRecord(node[1]), 3, 3)
      return bytes
    }),
  )
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_790_000_000,
    database_type: 'Test-Country',
    description: { en: 'made by hand' },
    ip_version: 6,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 24,
  }
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    ...pieces,
    Buffer.from([0xab, 0xcd, 0xef]),
    Buffer.from('MaxMind.com'),
    encode(metadata),
  ])
}

const toBits = (bytes: readonly number[]): string => bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('')
const toIpv4Bits = (...bytes: number[]): string => '0'.repeat(96) + toBits(bytes)

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tributary-maxmind-'))
  await writeFile(
    join(home, 'country.mmdb'),
    buildDatabase({
      [toIpv4Bits(198, 51, 100)]: { country: { iso_code: 'US' } },
      [toIpv4Bits(203, 0, 113)]: { country: { iso_code: 'DE' }, registered_country: { iso_code: 'US' } },
      [toIpv4Bits(192, 0, 2)]: { registered_country: { iso_code: 'US' } },
      [toBits([0x20, 0x01, 0x0d, 0xb8])]: { country: { iso_code: 'FR' } },
    }),
  )
})
afterAll(() => rm(home, { recursive: true }))

test('maxmindCountry returns the country of a network and null for other addresses', async () => {
  const country = await maxmindCountry(join(home, 'country.mmdb'))
  const findCountry = (address: string | null) => country({ headers: { 'cf-ipcountry': 'US' }, address })
  expect([
    findCountry('198.51.100.7'),
    findCountry('203.0.113.255'),
    findCountry('2001:db8::1'),
    findCountry('::ffff:198.51.100.7'),
    findCountry('203.0.113.255:50123'),
    findCountry('[2001:db8::1]:50123'),
    findCountry('[::ffff:198.51.100.7]'),
  ]).toEqual(['US', 'DE', 'FR', 'US', 'DE', 'FR', 'US'])
  // The location of a network may differ from the country in which it is registered. Private and unknown networks, and
  // texts that are not addresses, have no country.
  expect(
    ['192.0.2.1', '10.0.0.1', '127.0.0.1', '::1', '198.51.101.1', '2001:db9::1', 'localhost', '', '300.1.1.1'].map(
      findCountry,
    ),
  ).toEqual(Array(9).fill(null))
  expect(findCountry(null)).toBeNull()
})

test('maxmindCountry reloads a changed file and keeps the old file when the new file is invalid', async () => {
  const path = join(home, 'moving.mmdb')
  const buildCountryDatabase = (code: string): Buffer =>
    buildDatabase({ [toIpv4Bits(198, 51, 100)]: { country: { iso_code: code } } })
  await writeFile(path, buildCountryDatabase('US'))
  const logged: string[] = []
  const logger = {
    info: (_: object, text: string) => void logged.push(text),
    warn: (_: object, text: string) => void logged.push(text),
    error() {},
  }
  const country = await maxmindCountry(path, { checkMs: 0, logger })
  const findCountry = () => country({ headers: {}, address: '198.51.100.7' })
  expect(findCountry()).toBe('US')
  await writeFile(`${path}.new`, buildCountryDatabase('CA'))
  await rename(`${path}.new`, path)
  await vi.waitFor(() => expect(findCountry()).toBe('CA'))
  await writeFile(path, buildCountryDatabase('MX').subarray(0, 100))
  await vi.waitFor(() => {
    expect(findCountry()).toBe('CA')
    expect(logged).toContain('country.file.reload_failed')
  })
  await rm(path)
  expect(findCountry()).toBe('CA')
  await writeFile(path, buildCountryDatabase('MX'))
  await vi.waitFor(() => expect(findCountry()).toBe('MX'))
})

test('maxmindCountry checks the file at most once per interval', async () => {
  const path = join(home, 'still.mmdb')
  await writeFile(path, buildDatabase({ [toIpv4Bits(198, 51, 100)]: { country: { iso_code: 'US' } } }))
  let looks = 0
  const logger = { info() {}, warn: () => void looks++, error() {} }
  const [rare, often] = await Promise.all([1e9, 0].map((checkMs) => maxmindCountry(path, { checkMs, logger })))
  await rm(path)
  const findCountry = (country: typeof rare): unknown => country!({ headers: {}, address: '198.51.100.7' })
  expect([findCountry(often), findCountry(often)]).toEqual(['US', 'US'])
  await vi.waitFor(() => expect(looks).toBe(2))
  for (let n = 0; n < 50; n++) expect(findCountry(rare)).toBe('US')
  expect(findCountry(often)).toBe('US')
  await vi.waitFor(() => expect(looks).toBe(3))
})

test('maxmindCountry rejects for a missing or invalid file', async () => {
  await expect(maxmindCountry(join(home, 'none.mmdb'))).rejects.toThrow('ENOENT')
  await writeFile(join(home, 'text.mmdb'), 'no such thing')
  await expect(maxmindCountry(join(home, 'text.mmdb'))).rejects.toThrow()
})
