import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { built, signInContributor, run } from './cli.fixture.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const client = join(root, 'examples/contributor/dist/cli.js')
const document = readFileSync(join(root, 'docs/getting-started.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'getting-started-'))

/** The blocks of the document in order: a command, or its output. */
const blocks = [...document.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language, text]) => ({
  language: language!,
  text: text!.trimEnd(),
}))
/** Returns the output that the document shows after a command, line by line. */
function listOutputAfter(command: string): string[] {
  const at = blocks.findIndex(({ language, text }) => language === 'sh' && text === command)
  expect(at, `${command} is in docs/getting-started.md`).toBeGreaterThanOrEqual(0)
  const shown = blocks[at + 1]
  return shown?.language === 'text' ? shown.text.split('\n').filter((line) => line !== '') : []
}

describe.skipIf(!built)('README.md', () => {
  test(
    'starts with two commands that store the sample and print a link to its redactions',
    { tags: 'slow' },
    async () => {
      const readme = readFileSync(join(root, 'README.md'), 'utf8')
      const [start, upload] = [...readme.matchAll(/^```sh\n(.*)\n```$/gm)].map(([, line]) => line!)
      const [, demo] = /^npm start -- (--demo) --database \.tributary\/demo\.db$/.exec(start!)!
      const host = run(['dev', demo!, '--port', '0', '--database', join(folder, 'demo.db')])
      try {
        await vi.waitUntil(() => host.out().includes('Try it:'))
        const url = /running at (\S+)/.exec(host.out())![1]!
        const command = upload!.replaceAll('npm run example:contributor --', `${process.execPath} ${client}`)
        const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TRIBUTARY_URL: url }
        const child = spawn('/bin/sh', ['-c', command], { cwd: root, env })
        let printed = ''
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (printed += String(data)))
        const ended = new Promise((resolve) => child.on('close', resolve))
        let cookie = ''
        /** Opens a path of the server as a browser on this machine does. Returns the page after all redirects. */
        const open = async (path: string, form?: Record<string, string>): Promise<string> => {
          const body = form && new URLSearchParams(form)
          const headers = { cookie, 'accept': 'text/html', 'sec-fetch-site': form ? 'same-origin' : 'none' }
          const reply = await fetch(new URL(path, url), {
            headers,
            redirect: 'manual',
            ...(body ? { method: 'POST', body } : {}),
          })
          cookie = reply.headers.getSetCookie()[0]?.split(';', 1)[0] ?? cookie
          const location = reply.headers.get('location')
          return location === null ? reply.text() : open(location)
        }
        const readLink = (page: string, text: RegExp): string => {
          const links = [...page.matchAll(/<a\s+href="([^"]*)"[^>]*>([^]*?)<\/a/g)]
          const found = links.find(([, , name]) => text.test(name!.replace(/<[^>]*>/g, '')))
          return found![1]!.replaceAll('&amp;', '&')
        }
        await vi.waitUntil(() => printed.includes('Waiting'))
        const signIn = await open(/Open +(\S+)/.exec(printed)![1]!)
        const accounts = await open(readLink(signIn, /^Sign in as a demo contributor/))
        const device = await open(readLink(accounts, /^Sign in as Ada/))
        const [, code] = /name="code"\s+value="([^"]+)"/.exec(device)!
        await open('/device', { code: code!, decision: 'approved' })
        expect(await ended, printed).toBe(0)
        const trace = await open(/Read it: (\S+)/.exec(printed)![1]!)
        for (const placeholder of ['EMAIL', 'USER', 'PASSWORD']) expect(trace).toContain(`[${placeholder}_1]`)
      } finally {
        host.child.kill('SIGTERM')
        await host.ended
      }
    },
  )
})

describe.skipIf(!built)('docs/getting-started.md', () => {
  let host: ReturnType<typeof run>
  let url = ''
  let token = ''

  beforeAll(async () => {
    const [, flags] = /^npm start -- (.*)$/.exec(blocks.find(({ language }) => language === 'sh')!.text)!
    host = run(['dev', ...flags!.split(' '), '--port', '0', '--database', join(folder, 'dev.db')])
    await vi.waitUntil(() => host.out().includes('Try it:'))
    url = /running at (\S+)/.exec(host.out())![1]!
    token = (await signInContributor(url, 'jane@example.com')).token
  })

  afterAll(async () => {
    host.child.kill('SIGTERM')
    await host.ended
    rmSync(folder, { recursive: true, force: true })
  })

  /**
   * Runs the example client. Resolves with its output. Without a token the client is ended when it waits for a person.
   */
  function runClient(args: string, bearer: string | null): Promise<{ code: number | null; printed: string }> {
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TRIBUTARY_URL: url }
    const child = spawn(process.execPath, [client, ...args.split(' ')], {
      cwd: root,
      env: bearer === null ? env : { ...env, TRIBUTARY_TOKEN: bearer },
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        printed += String(data)
        if (bearer === null && printed.includes('Waiting')) child.kill()
      })
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, printed })))
  }

  /** Replaces the parts of the output that differ in each run with the text of the document. */
  const normalize = (printed: string): string =>
    printed
      .replace(`TRIBUTARY_URL=${url} `, '')
      .replaceAll(url, 'http://127.0.0.1:8787')
      .replace(/token: \w+/, 'token: TOKEN')
      .replace(/\b[A-Z]{4}-[A-Z]{4}\b/g, 'CODE')

  test('npm start prints the output that the document shows', () => {
    const shown = listOutputAfter('npm start -- --approval automatic')
    expect(shown.length).toBeGreaterThan(3)
    for (const line of shown) expect(normalize(host.out())).toContain(line)
  })

  test('login prints the link and the code', async () => {
    const { printed } = await runClient('login', null)
    for (const line of listOutputAfter('npm run example:contributor -- login'))
      expect(normalize(printed)).toContain(line)
  })

  test('the commands of a contributor print the output that the document shows, and the links in the output work', async () => {
    const commands = blocks.flatMap(({ language, text }) =>
      language === 'sh' && text.startsWith('npm run') && !text.endsWith(' login') ? [text] : [],
    )
    expect(commands).toHaveLength(4)
    for (const command of commands) {
      const { code, printed } = await runClient(command.replace('npm run example:contributor -- ', ''), token)
      expect(code, printed).toBe(0)
      for (const line of listOutputAfter(command)) expect(printed).toContain(line)
    }
    for (const [path] of document.matchAll(/(?<=<http:\/\/127\.0\.0\.1:8787)\/[^>]*/g))
      expect((await fetch(url + path, { headers: { accept: 'text/html' } })).status, path).toBe(200)
    const preview = await runClient('preview examples/contributor/sample/session.jsonl --json', token)
    const stored = await fetch(`${url}/api/traces`, { headers: { authorization: `Bearer ${token}` } })
    const { traces } = (await stored.json()) as { traces: { tokenCount: number }[] }
    expect(JSON.parse(preview.printed)).toMatchObject({ totals: { tokens: traces[0]!.tokenCount } })
  })
})
