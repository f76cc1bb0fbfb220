import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const page = readFileSync(new URL('../../../../docs/proxies.md', import.meta.url), 'utf8')
const findSnippet = (language: string): string => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page)![1]!
const isInstalled = (program: string, flag: string): boolean => spawnSync(program, [flag]).status === 0
const [nginx, caddy] = [process.env['NGINX'] ?? 'nginx', process.env['CADDY'] ?? 'caddy']

let upstream: Server
let port: number
let folder: string
let running: ChildProcess | null = null

beforeAll(async () => {
  upstream = createServer((request, response) => response.end(JSON.stringify(request.headers)))
  await new Promise<void>((resolve) => void upstream.listen(0, '127.0.0.1', resolve))
  port = (upstream.address() as AddressInfo).port
  folder = mkdtempSync(join(tmpdir(), 'tributary-proxy-'))
})
afterAll(() => {
  running?.kill('SIGKILL')
  upstream.close()
  rmSync(folder, { recursive: true, force: true })
})

async function findFreePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => void probe.listen(0, '127.0.0.1', resolve))
  const { port: free } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return free
}

/**
 * Starts a proxy, sends a request with a country header, and returns the headers that reach the server behind the
 * proxy.
 */
async function readHeadersBehind(program: string, args: readonly string[], own: number): Promise<IncomingHttpHeaders> {
  running = spawn(program, args, { stdio: 'ignore', env: { ...process.env, HOME: folder } })
  try {
    for (let tries = 0; tries < 100; tries++) {
      const reply = await fetch(`http://127.0.0.1:${own}/`, {
        headers: { 'x-country': 'US', 'x-forwarded-for': '9.9.9.9' },
      }).catch(() => null)
      if (reply?.ok) return (await reply.json()) as IncomingHttpHeaders
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error(`${program} did not answer`)
  } finally {
    running.kill('SIGTERM')
  }
}

describe('docs/proxies.md', () => {
  test.skipIf(!isInstalled(nginx, '-v'))(
    'nginx replaces a country header from outside with its own value, or removes it',
    async () => {
      for (const [known, seen] of [
        ['', undefined],
        ['DE', 'DE'],
      ] as const) {
        const own = await findFreePort()
        const sites = findSnippet('nginx')
          .replace('listen 443 ssl', `listen 127.0.0.1:${own}`)
          .replace('127.0.0.1:8787', `127.0.0.1:${port}`)
          .replace('203.0.113.0/24 US', `127.0.0.1/32 "${known}"`)
        const path = join(folder, 'nginx.conf')
        const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
          .map((name) => `${name}_temp_path ${folder}/${name};`)
          .join(' ')
        writeFileSync(
          path,
          `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary}\n${sites}\n}`,
        )
        const headers = await readHeadersBehind(nginx, ['-c', path, '-e', 'stderr'], own)
        expect([headers['x-country'], headers['x-forwarded-for']]).toEqual([seen, '9.9.9.9, 127.0.0.1'])
      }
    },
  )

  test.skipIf(!isInstalled(caddy, 'version'))('Caddy removes a country header from outside', async () => {
    const own = await findFreePort()
    const site = findSnippet('caddyfile')
      .replace('api.example.com', `http://127.0.0.1:${own}`)
      .replace('127.0.0.1:8787', `127.0.0.1:${port}`)
    const path = join(folder, 'Caddyfile')
    writeFileSync(path, `{\n\tadmin off\n}\n${site}`)
    const headers = await readHeadersBehind(caddy, ['run', '--adapter', 'caddyfile', '--config', path], own)
    expect([headers['x-country'], headers['x-forwarded-for']]).toEqual([undefined, '127.0.0.1'])
  })

  test("the CloudFront function removes country headers of other proxies and keeps CloudFront's own header", () => {
    const handler = runInNewContext(`${findSnippet('js')}; handler`) as (event: object) => { headers: object }
    const value = { value: 'US' }
    const headers = { 'x-country': value, 'cf-ipcountry': value, 'cloudfront-viewer-country': value, 'host': value }
    expect(Object.keys(handler({ request: { headers } }).headers)).toEqual(['cloudfront-viewer-country', 'host'])
  })
})
