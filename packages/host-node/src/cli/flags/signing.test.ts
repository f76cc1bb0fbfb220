import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parseSigners } from './signing.ts'

const makePem = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()

test('parseSigners reads keys from files, PEM and seeds, newest first, with their dates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-signing-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [file, seed] = [join(folder, 'new.pem'), Buffer.alloc(32, 7).toString('base64')]
  writeFileSync(file, makePem())
  const signers = parseSigners({ 'signing-key': `${file}@2026-10-01/,${makePem()}, ${seed}@/2026-09-30` })
  expect(signers.map(({ published: { from, until } }) => [from, until])).toEqual([
    ['2026-10-01T00:00:00.000Z', null],
    [null, null],
    [null, '2026-09-30T00:00:00.000Z'],
  ])
  expect(new Set(signers.map(({ published }) => published.kid)).size).toBe(3)
  expect(parseSigners({ 'signing-key': undefined })).toEqual([])
})

test('parseSigners refuses a text that is not an Ed25519 key, and does not repeat the text in the message', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs8' })
  for (const text of ['not-a-key', rsa.toString()]) {
    const parse = () => parseSigners({ 'signing-key': text })
    expect(parse).toThrow('--signing-key: key 1 is neither')
    expect(parse).not.toThrow(text)
  }
})
