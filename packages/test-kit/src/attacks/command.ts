import { parseArgs } from 'node:util'
import type { Target } from '../conformance/target.ts'
import { createMailReader } from '../conformance/mailbox.ts'
import { runGroups, type Report, type Result } from '../conformance/run.ts'
import { overHttp } from '../conformance/transport.ts'
import { attacks } from './attacks.ts'

const help = `
npm run check -- attacks [ADDRESS] [flags]

Attacks a running Tributary, as a review by OWASP's API Security Top 10 and ASVS 5.0 would: every operation by eight kinds of
callers against one person's data, requests from other sites, guesses, hostile text, slow and large bodies, tricks with paths and
headers. Without an address it starts its own services: without rate limits, with the default ones, one to which this machine is
in a data center, and one with passkeys.

  --admin-token T   the operator's token (TRIBUTARY_ADMIN_TOKEN)
  --passkey-token T the token of an operator whom nobody else signs in as, at https with a domain name or at localhost: only
                    attacks on passkeys are made
  --mail URL        where sign-in codes are read, as JSON; default: /dev/mail.json of the address
  --rates           the service has the default rate limits: only attacks on them are made, and they are used up
  --datacenter      the service was started with a --datacenter-file that lists this machine: only attacks on that are made
  --only WORD       attacks whose chapter, name or group has the word; may be given more than once
  --json            print one JSON document instead of text

It ends with 0 when every attack was held, else with 1.
`

const options = {
  'admin-token': { type: 'string' },
  'passkey-token': { type: 'string' },
  'mail': { type: 'string' },
  'rates': { type: 'boolean' },
  'datacenter': { type: 'boolean' },
  'only': { type: 'string', multiple: true },
  'json': { type: 'boolean' },
  'help': { type: 'boolean', short: 'h' },
} as const

/** The output and input of the command, and the function that starts services to attack if no address is given. */
export interface AttacksTerminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly start: () => Promise<readonly Attacked[]>
}

/** A service to attack. */
export interface Attacked {
  readonly address: string
  readonly adminToken?: string
  /** The token of an operator that only this run uses, if the service verifies passkeys. */
  readonly passkeyToken?: string
  readonly hasRates: boolean
  /** Whether the service treats this machine as part of a data center. */
  readonly isDatacenter: boolean
  stop(): Promise<void>
}

/** Runs `npm run check -- attacks`. Resolves with the exit code, 0 or 1. */
export async function attacksCommand(argv: readonly string[], terminal: AttacksTerminal): Promise<number> {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(argv)
  } catch (error) {
    terminal.error(`\n${error instanceof Error ? error.message : String(error)}\n${help}`)
    return 1
  }
  const {
    values,
    positionals: [address],
  } = parsed
  if (values.help) {
    terminal.out(`${help.trim()}\n`)
    return 0
  }
  const adminToken = values['admin-token'] ?? terminal.env['TRIBUTARY_ADMIN_TOKEN']
  const passkeyToken = values['passkey-token']
  const attacked =
    address === undefined
      ? await terminal.start()
      : [
          {
            address,
            hasRates: values.rates === true,
            isDatacenter: values.datacenter === true,
            ...(adminToken ? { adminToken } : {}),
            ...(passkeyToken ? { passkeyToken } : {}),
            stop: async () => undefined,
          },
        ]
  const reports: Report[] = []
  try {
    for (const service of attacked) {
      const kind = service.hasRates
        ? ', with rate limits'
        : service.isDatacenter
          ? ', from a data center'
          : service.passkeyToken
            ? ', with passkeys'
            : ''
      if (values.json !== true) terminal.out(`${service.address}${kind}\n`)
      const { mail, only, json } = values
      reports.push(
        await attack(service, {
          mail,
          only,
          ...(json ? {} : { onGroup: (title, results) => terminal.out(groupText(title, results)) }),
        }),
      )
    }
  } finally {
    for (const service of attacked) await service.stop()
  }
  const sum = (count: (report: Report) => number): number => reports.reduce((total, report) => total + count(report), 0)
  const [held, broken, skipped] = [
    sum(({ passed }) => passed),
    sum(({ failed }) => failed),
    sum((report) => report.skipped),
  ]
  const ok = held > 0 && broken === 0
  terminal.out(
    values.json ? `${JSON.stringify({ ok, reports })}\n` : `\n${held} held, ${broken} broken, ${skipped} skipped\n`,
  )
  return ok ? 0 : 1
}

function parse(argv: readonly string[]) {
  const parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true })
  const [address, ...more] = parsed.positionals
  if (more.length > 0) throw new Error('Give one address, or none')
  if (address !== undefined && !/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : ''))
    throw new Error(`Invalid address: ${address}`)
  return parsed
}

interface AttackOptions {
  readonly mail: string | undefined
  readonly only: readonly string[] | undefined
  readonly onGroup?: (title: string, results: readonly Result[]) => void
}

async function attack(
  { address, adminToken, passkeyToken, hasRates, isDatacenter }: Attacked,
  { mail, only, onGroup }: AttackOptions,
): Promise<Report> {
  const { origin, pathname } = new URL(address)
  const prefix = pathname.replace(/\/+$/, '')
  const { request, close } = overHttp(origin)
  const target: Target = {
    request,
    prefix,
    origin,
    code: createMailReader(mail ?? `${origin}${prefix}/dev/mail.json`),
    ...(adminToken ? { adminToken } : {}),
    ...(passkeyToken ? { passkeyToken } : {}),
    ...(hasRates ? { rates: 'default' } : {}),
    isDatacenter,
  }
  // These attacks use up limits, which would block all other attacks, so they run alone against a service with limits.
  const groups = attacks.map(({ title, checks }) => ({
    title,
    checks: checks.filter(
      ({ needs }) =>
        needs.includes('rates') === hasRates &&
        needs.includes('datacenter') === isDatacenter &&
        needs.includes('passkey-token') === (passkeyToken !== undefined),
    ),
  }))
  try {
    return await runGroups(
      groups.filter(({ checks }) => checks.length > 0),
      target,
      { only: only ?? [], concurrency: 2, ...(onGroup ? { onGroup } : {}) },
    )
  } finally {
    close()
  }
}

function groupText(title: string, results: readonly Result[]): string {
  const count = (outcome: Result['outcome']): number => results.filter((one) => one.outcome === outcome).length
  const broken = results
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ of, name, detail }) => `  BROKEN ${of}: ${name}\n${detail.replace(/^/gm, '    ')}\n`)
  const reasons = new Set(
    results.filter(({ outcome }) => outcome === 'skipped').map(({ detail }) => `  skipped: ${detail}\n`),
  )
  return `  ${title.padEnd(42)}${count('passed')} held, ${count('failed')} broken\n${broken.join('')}${[...reasons].join('')}`
}
