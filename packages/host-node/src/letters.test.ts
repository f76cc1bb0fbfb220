import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { built, run } from './cli/cli.fixture.ts'
import { startSmtp, type Smtp } from './smtp.fixture.ts'

const desk = 'desk@example.com'
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function waitUntil(what: () => unknown): Promise<void> {
  while (!what()) await sleep(20)
}

async function findFreePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

let folder: string
let smtp: Smtp
const running: ReturnType<typeof run>[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-letters-'))
  smtp = await startSmtp()
})
afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  await Promise.all(running.splice(0).map(({ ended }) => ended))
  await smtp.close()
  rmSync(folder, { recursive: true, force: true })
})
const locateDatabase = (): string => join(folder, 'test.db')
const countDeskMails = (): number => smtp.mails.filter(({ to }) => to === desk).length

/** Starts a command of the CLI with the mail server, and waits until the command prints that it is ready. */
async function startHost(...args: string[]): Promise<ReturnType<typeof run>> {
  const one = run([...args, '--json', '--database', locateDatabase(), '--mail-from', 'hello@example.com'], {
    TRIBUTARY_SMTP_URL: smtp.url,
  })
  running.push(one)
  const early = one.ended.then(({ err }) => Promise.reject(new Error(err)))
  early.catch(() => undefined)
  await Promise.race([early, waitUntil(() => one.out().includes('\n'))])
  return one
}

async function serve(worker: 'thread' | 'off'): Promise<{ url: string; kill(): Promise<void> }> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const { child, ended } = await startHost(
    'start',
    '--base-url',
    url,
    '--port',
    String(port),
    '--host',
    '127.0.0.1',
    '--worker',
    worker,
    '--contact-email',
    desk,
  )
  return { url, kill: async () => (child.kill('SIGKILL'), void (await ended)) }
}

/** Signs in with the code that the mail server received, and sends feedback with a token of the device login. */
async function write(url: string, message: string): Promise<void> {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const reply = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`${path} ${reply.status} ${await reply.text()}`)
    return {
      body: (await reply.json()) as Record<string, string>,
      cookie: (reply.headers.getSetCookie()[0] ?? '').split(';')[0]!,
    }
  }
  const {
    body: { challenge },
  } = await post('/api/auth/email', { email: 'ann@example.com' })
  await waitUntil(() => smtp.mails.some(({ to }) => to === 'ann@example.com'))
  const code = /\b\d{6}\b/.exec(
    smtp.mails.findLast(({ to }) => to === 'ann@example.com')!.data.split('\r\n\r\n')[1]!,
  )![0]
  const { cookie } = await post('/api/auth/email/verify', { email: 'ann@example.com', code, challenge })
  const {
    body: { deviceCode, userCode },
  } = await post('/api/cli/device/start', { machine: 'test' })
  await post('/api/cli/device/approve', { userCode }, { cookie })
  const { token } = (await (await fetch(`${url}/api/cli/device/poll?deviceCode=${deviceCode}`)).json()) as {
    token: string
  }
  await post('/api/cli/feedback', { message }, { authorization: `Bearer ${token}` })
}

function listStatuses(): string[] {
  const db = new Database(locateDatabase())
  const rows = db.prepare("select status from outbox where channel = 'mail'").all() as { status: string }[]
  db.close()
  return rows.map(({ status }) => status)
}

describe.skipIf(!built)('mails and killed processes', () => {
  test('feedback that a killed process stored is mailed once by the next worker', { tags: 'slow' }, async () => {
    const { url, kill } = await serve('off')
    await write(url, 'written before the kill')
    await kill()
    expect([countDeskMails(), listStatuses()]).toEqual([0, ['waiting']])
    await Promise.all([startHost('worker'), startHost('worker')])
    await waitUntil(() => listStatuses()[0] === 'sent')
    await sleep(1500)
    expect(countDeskMails()).toBe(1)
    expect(smtp.mails.find(({ to }) => to === desk)!.data).toContain('> written before the kill')
  })

  test(
    'a mail becomes unknown and is not sent again if its process was killed during delivery',
    { tags: 'slow' },
    async () => {
      smtp.manner = (to) => (to === desk ? 'silent' : 'take')
      const { url, kill } = await serve('thread')
      await write(url, 'in the air')
      await waitUntil(() => countDeskMails() === 1)
      await kill()
      expect(listStatuses()).toEqual(['sending'])
      smtp.manner = () => 'take'
      const db = new Database(locateDatabase())
      db.exec("update outbox set lease_until = 0 where status = 'sending'") // The lease would otherwise last some minutes.
      db.close()
      await startHost('worker')
      await waitUntil(() => listStatuses()[0] === 'unknown')
      await sleep(1500)
      expect(countDeskMails()).toBe(1)
    },
  )
})
