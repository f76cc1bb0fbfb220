import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createService, type Logger, type SigningKey } from '@tributary/core'
import { exportDataset, type ExportResult } from '../../dataset/export.ts'
import type { Seller } from '../../dataset/card.ts'
import { dataFiles } from '../../dataset/manifest.ts'
import { readPublicKey } from '../../dataset/signing.ts'
import { verifyPackage, type VerifiedPackage } from '../../dataset/verify.ts'
import type { Ask, Selection } from '../../dataset/source.ts'
import type { ExportFormat } from '../../dataset/shards.ts'
import { createLogger } from '../../log.ts'
import { createBlobs, openStore } from '../../server-config.ts'
import { CommandError, describeError } from '../errors.ts'
import { parseBaseUrl } from '../flags/addresses.ts'
import { databaseFlags, parsePersistentDatabase } from '../flags/database.ts'
import { defineFlags, UsageError, type FlagValues } from '../flags/flag.ts'
import { jsonFlags, parseBlobs, parseSecret, secretFlags, serviceFlags } from '../flags/service.ts'
import { parseSigners, signingFlags } from '../flags/signing.ts'
import { inspectDatabase } from '../inspect-database.ts'
import { defineCommand } from '../program.ts'
import { printProgress } from './backup.ts'

const flags = {
  ...databaseFlags,
  ...jsonFlags,
  ...secretFlags,
  ...signingFlags,
  blobs: serviceFlags['blobs'],
  ...defineFlags({
    'address': {
      kind: 'text',
      placeholder: 'URL',
      help: 'a running service to read from, instead of --database; for verify: the service that made the package',
    },
    'admin-token': {
      kind: 'text',
      help: 'the admin token of the service, from which its secret may be derived; use the variable to keep it out of the shell',
    },
    'buyer-token': {
      kind: 'text',
      help: 'the token of a buyer, instead of --admin-token; requires --address and --sale; use the variable',
    },
    'sale': { kind: 'text', placeholder: 'ID', help: 'export exactly the traces that were sold in this sale' },
    'filter': {
      kind: 'text',
      placeholder: 'QUERY',
      help: 'export matching traces for sale: all, or a query of source, agent, model, outcome, from, to, minTokens, neverSold=true',
    },
    'format': {
      kind: 'text',
      choices: ['documents', 'messages', 'sts', 'atif', 'parquet'],
      default: 'documents',
      help: 'the format of the files',
    },
    'out': {
      kind: 'text',
      placeholder: 'DIR',
      help: 'the folder to write; in a folder with this export, the command continues it or checks it against the service',
    },
    'shard-traces': {
      kind: 'number',
      placeholder: 'N',
      default: 5_000,
      min: 1,
      help: 'close a shard when it has this many traces, or 32 MB of text',
    },
    'key': {
      kind: 'text',
      placeholder: 'FILE',
      help: 'for verify: the public keys, as /.well-known/tributary-keys.json or PEM, instead of --address',
    },
    'base-url': {
      kind: 'text',
      placeholder: 'URL',
      help: 'the public URL of the service, which a package that is read from --database names',
    },
    'license': { kind: 'text', placeholder: 'ID', default: 'other', help: 'the license in the dataset card' },
    'license-name': { kind: 'text', placeholder: 'NAME', help: 'the name of the license, with `--license other`' },
    'license-link': { kind: 'text', placeholder: 'URL', help: 'the URL of the license' },
    'languages': {
      kind: 'text',
      placeholder: 'CODES',
      default: 'en',
      help: 'languages in the dataset card, separated by commas',
    },
  }),
}
type Values = FlagValues<typeof flags>

/** `tributary dataset export`: writes a package for a buyer. */
export const datasetCommand = defineCommand({
  description: `\`tributary dataset export\` writes shards under DIR/data, a dataset card, provenance.json, croissant.json, and
manifest.json (counts, filter, SHA-256 of each file) with its signature (--signing-key).
It reads from a running service (--address, --admin-token) or from the database. Every trace is scrubbed when it is read.
Run the same command again to continue after an interruption, and to bring a finished package up to date. The command asks
the service which of the traces in the folder may still be delivered. If a trace was withdrawn or erased, it writes the whole
package again and says so. Otherwise, it downloads only the missing traces, and signs a finished package that has no signature
by this --signing-key. It adds no new traces to a finished package of a --filter.
\`tributary dataset verify DIR\` checks the signature by the keys of --address or --key, the size and SHA-256 of each file,
that no other file is there, provenance.json, croissant.json and (except in Parquet) each line by their schemas, and the counts
that the format contains. It exits with 1 and names the first difference.`,
  example:
    "tributary dataset export --database ./tributary.db --filter 'source=codex_jsonl&from=2026-10-01' --format parquet --out ./export",
  flags,
  files: 'export | verify DIR',
  async run(values, output, [action, ...rest]) {
    if (action === 'verify' && rest.length === 1) {
      const verified = await verifyPackage(resolve(rest[0]!), await readKeys(values))
      output.out(values.json ? `${JSON.stringify(toJson(verified))}\n` : formatVerified(verified))
      return 0
    }
    if (action !== 'export' || rest.length > 0)
      throw new UsageError('The actions are `tributary dataset export` and `tributary dataset verify DIR`')
    const { out, format, license } = values
    if (!out) throw new UsageError('--out is required, such as --out ./export')
    const selection = parseSelection(values)
    if (isOfBuyer(values) && 'filter' in selection)
      throw new UsageError('--sale is required with --buyer-token: it names your purchase')
    const [signer] = parseSigners(values)
    const startedAt = performance.now()
    const { ask, seller, close } = await openSource(values)
    try {
      const result = await exportDataset({
        ask,
        selection,
        format: format as ExportFormat,
        out: resolve(out),
        license,
        licenseName: values['license-name'] ?? null,
        licenseLink: values['license-link'] ?? null,
        languages: values.languages.split(',').map((code) => code.trim()),
        seller,
        signer: signer ?? null,
        shardTraces: values['shard-traces'],
        onProgress: ({ traces, total }) =>
          printProgress(values.json, output, `${traces}${total === null ? '' : ` of ${total}`} traces`),
        onRestart: (removed) =>
          printProgress(values.json, output, `${formatRemoved(removed, selection)}; writing the package again`),
      })
      output.out(
        values.json
          ? formatJson(result, resolve(out))
          : formatText(result, { selection, out: resolve(out), startedAt }),
      )
      return 0
    } finally {
      close()
    }
  },
})

const filterFields = new Set(['source', 'agent', 'model', 'outcome', 'from', 'to', 'minTokens', 'neverSold'])

function parseSelection(values: Values): Selection {
  const { sale, filter } = values
  if ((sale === undefined) === (filter === undefined))
    throw new UsageError('Name the traces to export: --sale ID, or --filter all or a query such as source=codex_jsonl')
  if (sale !== undefined) {
    if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(sale))
      throw new UsageError(`--sale: "${sale}" is not the id of a sale`)
    return { saleId: sale.toLowerCase(), isBuyer: isOfBuyer(values) }
  }
  const query = new URLSearchParams(filter === 'all' ? '' : filter)
  for (const name of query.keys())
    if (!filterFields.has(name))
      throw new UsageError(`--filter: "${name}" is not a field; use ${[...filterFields].join(', ')}, or all`)
  return { filter: query.toString() }
}

/** Returns whether the command reads a service with the token of a buyer. */
const isOfBuyer = ({ address, 'admin-token': admin, 'buyer-token': buyer }: Values): boolean =>
  address !== undefined && !admin && Boolean(buyer)

/** Returns a URL without the slash at its end. Throws `UsageError`. */
function parseAddress(address: string): string {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new UsageError(`--address: expected a URL such as https://traces.example.com, not "${address}"`)
  return address.replace(/\/+$/, '')
}

/** Returns the keys that verify a package, or null if no keys are given. */
async function readKeys({ address, key }: Values): Promise<readonly SigningKey[] | null> {
  if (address !== undefined && key !== undefined) throw new UsageError('Name either --address or --key')
  if (key !== undefined)
    try {
      const text = readFileSync(key, 'utf8')
      return text.trimStart().startsWith('{') ? parseKeys(text) : [readPublicKey(text)]
    } catch (error) {
      throw new UsageError(`--key: cannot read public keys from ${key} (${(error as Error).message})`)
    }
  if (address === undefined) return null
  const url = `${parseAddress(address)}/.well-known/tributary-keys.json`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(requestLimitMs) })
    if (!response.ok) throw new Error(`status ${response.status}`)
    return parseKeys(await response.text())
  } catch (error) {
    throw new CommandError(`Cannot read the keys from ${url} (${(error as Error).message})`, { cause: error })
  }
}

const parseKeys = (text: string): readonly SigningKey[] =>
  (JSON.parse(text) as { keys: readonly SigningKey[] }).keys.map((key) => ({
    ...readPublicKey(key.publicKey),
    from: key.from,
    until: key.until,
  }))

/** The time limit for a page of the dataset, in milliseconds. */
const requestLimitMs = 120_000

/**
 * Opens the source that the flags name. A database is read through a service in this process, so that both sources give
 * the same answers.
 */
async function openSource(values: Values): Promise<{ ask: Ask; seller: Seller | null; close: () => void }> {
  const { address } = values
  if (address !== undefined) {
    if (values.database !== undefined) throw new UsageError('Name either --address or --database')
    const base = parseAddress(address)
    const token = values['admin-token'] ?? values['buyer-token']
    if (!token)
      throw new UsageError(
        '--admin-token or --buyer-token is required with --address; TRIBUTARY_ADMIN_TOKEN and TRIBUTARY_BUYER_TOKEN set them too',
      )
    return {
      ask(path) {
        const signal = AbortSignal.timeout(requestLimitMs)
        return fetch(base + path, { headers: { authorization: `Bearer ${token}` }, signal })
      },
      seller: await readSeller(base),
      close: () => undefined,
    }
  }
  const database = parsePersistentDatabase(values)
  await inspectDatabase(database)
  const { stores, close } = await openStore(database)
  const adminToken = values['admin-token'] ?? randomBytes(32).toString('base64url')
  const blobs = createBlobs(parseBlobs(values.blobs))
  const publicUrl = values['base-url'] === undefined ? undefined : parseBaseUrl(values['base-url']).replace(/\/+$/, '')
  const baseUrl = publicUrl ?? 'http://127.0.0.1'
  // This service receives no uploads. Without this function it would warn that the country is unknown.
  const country = () => null
  const secret = parseSecret(values)
  let outage: unknown
  const log = createLogger('warn')
  const logger: Logger = {
    info: (...line) => log.info(...line),
    warn(fields, message) {
      // The command prints this error itself.
      if (message === 'http.request.unavailable') outage = fields['err']
      else log.warn(fields, message)
    },
    error: (...line) => log.error(...line),
  }
  const service = createService({
    baseUrl,
    stores,
    adminToken,
    country,
    logger,
    ...secret,
    ...(blobs ? { blobs } : {}),
  })
  const headers = { authorization: `Bearer ${adminToken}` }
  return {
    async ask(path) {
      const response = (await service.fetch(new Request(baseUrl + path, { headers })))!
      const known = response.status === 503 ? describeError(outage, values.database) : null
      if (known) throw new CommandError(known.message, { cause: outage })
      return response
    },
    seller: publicUrl === undefined ? null : { name: 'Tributary', url: publicUrl },
    close,
  }
}

/** Returns the name of the service at a URL, from its OpenAPI document, or null if it cannot be read. */
async function readSeller(url: string): Promise<Seller | null> {
  try {
    const response = await fetch(`${url}/openapi.json`, { signal: AbortSignal.timeout(requestLimitMs) })
    const { info } = (await response.json()) as { info: { title: string } }
    return { name: info.title, url }
  } catch {
    return null
  }
}

const formatJson = ({ manifest, status, removed }: ExportResult, out: string): string =>
  `${JSON.stringify({ ok: true, out, status, removed, ...manifest, files: dataFiles(manifest).length })}\n`

/** Says why traces of an earlier export may no longer be in the package. */
function formatRemoved(removed: number, selection: Selection): string {
  const [traces, were] = removed === 1 ? ['1 trace', 'was'] : [`${removed} traces`, 'were']
  const state = 'saleId' in selection ? 'withdrawn or erased' : 'no longer for sale'
  return `${traces} in the folder ${were} ${state}`
}

interface TextOptions {
  readonly selection: Selection
  readonly out: string
  readonly startedAt: number
}

function formatText(result: ExportResult, { selection, out, startedAt }: TextOptions): string {
  const { manifest, status, removed } = result
  const { traces, tokens, skipped, signature } = manifest
  const files = dataFiles(manifest)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const left = skipped === 0 ? '' : ` ${skipped} traces cannot be read and are not in the files.`
  const content = `${traces} traces (${tokens} tokens) in ${files.length} file${files.length === 1 ? '' : 's'}`
  return (
    (removed === 0 ? '' : `${formatRemoved(removed, selection)}, so the package was written again.\n`) +
    (status === 'exported'
      ? `Exported ${content} to ${out} in ${seconds} s.${left}\n`
      : `${out} already has the export: ${content}. All of them may still be delivered.${left}\n`) +
    (signature === null
      ? 'The package is unsigned: --signing-key signs it.\n'
      : `${status === 'signed' ? 'The package is now signed' : 'Signed'} by the key ${signature.kid}.\n`)
  )
}

const toJson = ({ manifest, signer, counts }: VerifiedPackage) => ({
  ok: true,
  traces: manifest.traces,
  tokens: manifest.tokens,
  files: dataFiles(manifest).length,
  format: manifest.format,
  saleId: manifest.saleId,
  signature: signer ? 'valid' : manifest.signature ? 'not checked' : 'unsigned',
  kid: signer?.kid ?? null,
  lines: manifest.format === 'parquet' ? 'not checked' : 'valid',
  counts,
})

function formatVerified(verified: VerifiedPackage): string {
  const { traces, tokens, files, signature, kid, lines, counts } = toJson(verified)
  const signed = {
    'valid': `Signature: valid, by the key ${kid}.`,
    'unsigned': 'Signature: none, the package is unsigned.',
    'not checked': 'Signature: not checked; give the public keys with --address or --key.',
  } as const
  return (
    `Verified ${traces} traces (${tokens} tokens) in ${files} file${files === 1 ? '' : 's'}: each has its size and SHA-256.\n` +
    `${signed[signature as keyof typeof signed]}\n` +
    (lines === 'valid' ? 'Lines: match their schema.\n' : 'Lines: not checked, the files are Parquet.\n') +
    `Counts: the same as in the manifest (${counts.join(', ')}).\n`
  )
}
