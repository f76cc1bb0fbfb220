import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '@tributary/test-kit'
import Database from 'libsql'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startSmtp } from '../smtp.fixture.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-mailing-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

let programs: string[]
beforeAll(async () => {
  const names = ['./mailing.fixture.ts', './thread.ts']
  programs = await Promise.all(names.map((name) => bundle(new URL(name, import.meta.url))))
})

/**
 * Starts a process that sends a mail to a server, and stops it when the mail hangs. Resolves with the exit code, the
 * signal and the stored mails.
 */
async function stopWhileMailHangs(url: string, hanging: Promise<unknown>) {
  const path = join(folder, 'mail.db')
  const child = spawn(process.execPath, [...programs, path, url], { stdio: ['ignore', 'inherit', 'inherit'] })
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  await Promise.race([hanging, closed])
  const stoppedAt = performance.now()
  child.kill('SIGTERM')
  const [code, signal] = await closed
  const ms = performance.now() - stoppedAt
  const database = new Database(path, { readonly: true } as Database.Options)
  const mails = database.prepare('select status, attempts, last_error from outbox').all()
  database.close()
  // The whole stop may take 10 seconds; the test allows three times as long for a busy machine.
  return { code, signal, mails, isInTime: ms < 30_000 }
}

const ended = {
  code: 0,
  signal: null,
  mails: [{ status: 'unknown', attempts: 1, last_error: 'the worker stopped while this was being sent' }],
  isInTime: true,
}

describe('SIGTERM while a mail hangs', () => {
  test('exits with 0 when the mail server stops answering after the text, and the mail is not sent again', async () => {
    const smtp = await startSmtp()
    try {
      const hanging = new Promise<void>((resolve) => {
        smtp.manner = () => {
          // `manner` is called for the recipient, whom the server then accepts. It is called again after the text, when
          // the mail is stored.
          if (smtp.mails.length > 0) resolve()
          return 'silent'
        }
      })
      expect(await stopWhileMailHangs(smtp.url, hanging)).toEqual(ended)
      expect(smtp.mails).toHaveLength(1)
    } finally {
      await smtp.close()
    }
  })

  test('exits with 0 when the mail server accepts the connection and never answers', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
    const hanging = once(server, 'connection')
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
      expect(await stopWhileMailHangs(url, hanging)).toEqual(ended)
    } finally {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  })
})
