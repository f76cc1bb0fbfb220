import { createService, type ServiceOptions } from '@tributary/core'
import { webAuthnPasskeys } from '@tributary/core/passkeys'
import { describe, expect, test } from 'vitest'
import { runGroups, type Report, type RunOptions } from '../conformance/run.ts'
import { overFetch } from '../conformance/transport.ts'
import { isFullRun } from '../fixtures/full-run.ts'
import type { Target } from '../conformance/target.ts'
import { createTestStores } from '../fixtures/database.ts'
import { createRecordingMailer } from '../fixtures/service.ts'
import { attacks } from './attacks.ts'
import { attacksCommand } from './command.ts'

const adminToken = 'the-operator-of-this-test'

interface Arranged {
  readonly alter?: RunOptions['alter']
  readonly options?: Partial<ServiceOptions>
  readonly target?: Partial<Target>
}

/** Runs the attacks whose names contain the given words, against a service in this process. */
function run(only: readonly string[], { alter, options, target }: Arranged = {}): Promise<Report> {
  const mailer = createRecordingMailer()
  const service = createService({
    baseUrl: 'http://127.0.0.1:8787',
    stores: createTestStores(),
    mailer,
    rates: 'off',
    adminToken,
    country: () => 'US',
    approval: 'automatic',
    ...options,
  })
  return runGroups(
    attacks,
    {
      request: overFetch(service),
      adminToken,
      code: (email) => mailer.code(email),
      work: () => service.work(),
      ...target,
    },
    {
      only,
      eventuallyMs: 0,
      ...(alter ? { alter } : {}),
    },
  )
}

const listFailures = ({ results }: Report): string[] =>
  results.filter(({ outcome }) => outcome === 'failed').map(({ name, detail }) => `${name}\n${detail}`)

describe('runAttacks', () => {
  // promise: statement-filters-owner-first
  test('finds no successful attack on the service', { tags: 'long' }, async () => {
    const always = [
      'shows stored text',
      'API2',
      'named after',
      'notice',
      'confirm an action',
      'the link of',
      'of a tool',
      'no tool',
      'another buyer',
      'feed of removals',
      'in the audit',
      'has a text',
    ]
    const [only, least] = isFullRun
      ? [[...always, 'by stranger', 'from another site', 'tool'], 200]
      : [[...always, '/api/traces', 'POST /account', 'tool exclude'], 20]
    const report = await run(only)
    expect(listFailures(report)).toEqual([])
    expect(report.passed).toBeGreaterThan(least)
  })

  test('finds no successful attack on the money of sponsors', { tags: 'long' }, async () => {
    const capped = { options: { rates: {}, approval: 'manual' }, target: { rates: 'default' } } as const
    const ads = { datacenters: ['192.0.2.0/24'] }
    for (const [only, arranged] of [
      ['without approval', capped],
      ['a data center', { options: { ads }, target: { isDatacenter: true } }],
    ] as const) {
      const report = await run([only], arranged)
      expect(listFailures(report)).toEqual([])
      expect(report.passed).toBe(1)
    }
  })

  const passkeys = {
    options: {
      baseUrl: 'http://localhost:8787',
      adminTokens: [{ name: 'passkeys', token: 'the-operator-with-passkeys' }],
      passkeys: webAuthnPasskeys(),
    },
    target: { passkeyToken: 'the-operator-with-passkeys' },
  } as const

  test('finds no way around the passkey of an operator', async () => {
    const report = await run(['passkey gives'], passkeys)
    expect(listFailures(report)).toEqual([])
    expect(report.passed).toBe(1)
  })

  test('reports a verifier that accepts a forged answer', async () => {
    const verifier = { ...webAuthnPasskeys(), verifySignature: async () => 1 }
    const report = await run(['passkey gives'], { ...passkeys, options: { ...passkeys.options, passkeys: verifier } })
    expect(report.failed).toBe(1)
  })

  test('reports a reply that contains a text of the victim', async () => {
    let victim = ''
    const report = await run(['GET /api/traces by stranger'], {
      alter: (reply, { check, sent: { body } }) => {
        victim ||= /conformance-\w+-victim@[\w.]+/.exec(Buffer.from(body ?? []).toString())?.[0] ?? ''
        return check === null
          ? reply
          : {
              ...reply,
              body: Buffer.from(
                Buffer.from(reply.body).toString().replace('"nextCursor":null', `"nextCursor":"${victim}"`),
              ),
            }
      },
    })
    expect(report.failed).toBe(2)
  })

  test('reports an outcome that reveals the text of another person', async () => {
    let probes = 0
    const report = await run(['has a text'], {
      alter: (reply, { check, sent: { target } }) => {
        if (check === null || !target.endsWith('/outcomes') || ++probes !== 1) return reply
        return { ...reply, body: Buffer.from(Buffer.from(reply.body).toString().replace('"stored"', '"duplicate"')) }
      },
    })
    expect(report.failed).toBe(1)
  })

  test('reports a form of another site that is accepted', async () => {
    const report = await run(['POST /account from another site'], {
      alter: (reply, { check }) => (check !== null && reply.status === 403 ? { ...reply, status: 303 } : reply),
    })
    expect(report.failed).toBe(1)
  })

  test("reports an operator's route that answers a stranger", async () => {
    const report = await run(['GET /api/admin/jobs by stranger'], {
      alter: (reply, { check }) => (check !== null && reply.status === 401 ? { ...reply, status: 200 } : reply),
    })
    expect(report.failed).toBe(2)
  })
})

describe('attacksCommand', () => {
  const terminal = { out: () => undefined, env: {}, start: async () => [] }

  test('names an unknown flag, and exits with 1', async () => {
    let text = ''
    expect(await attacksCommand(['--fast'], { ...terminal, error: (words) => void (text += words) })).toBe(1)
    expect(text).toContain('--fast')
  })

  test('exits with 1 when nothing was attacked', async () => {
    expect(await attacksCommand([], { ...terminal, error: () => undefined })).toBe(1)
  })
})
