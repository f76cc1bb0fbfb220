import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CommandError } from '../errors.ts'
import { defineFlags, UsageError, type FlagValues } from '../flags/flag.ts'
import { jsonFlags } from '../flags/service.ts'
import { defineCommand, type Output } from '../program.ts'

const flags = {
  ...jsonFlags,
  ...defineFlags({
    'address': {
      kind: 'text',
      placeholder: 'URL',
      default: 'http://127.0.0.1:8787',
      help: 'the running service that sends the events, on this machine',
    },
    'admin-token': { kind: 'text', help: 'its admin token; use the variable to keep it out of the shell' },
    'forward-to': {
      kind: 'text',
      placeholder: 'URL',
      help: 'the URL to which each event is forwarded, such as your app',
    },
    'event': { kind: 'list', placeholder: 'TYPE', help: 'only events of this type; may be given several times' },
  }),
}
type Values = FlagValues<typeof flags>

/**
 * The longest time that the app may take to answer, in milliseconds. It is shorter than the time that the service waits
 * for an endpoint.
 */
const forwardTimeoutMs = 14_000
/** The largest accepted body of an event, in bytes. Events are smaller. */
const maxBodyBytes = 1024 * 1024
/** Headers that belong to one connection and are not forwarded to the next. */
const connectionHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'])

/** `tributary webhooks listen`: forwards the events of a service on this machine to an app in development. */
export const webhooksCommand = defineCommand({
  description: `\`tributary webhooks listen\` adds a webhook that sends to this command, prints each event, sends it to
--forward-to with the same body and headers, and answers the service as the app answered. Ctrl-C deletes the webhook. The
service must be \`tributary dev\`, or an app that embeds it with \`webhooks.allowPrivateAddresses\`, because other services send to
public addresses only. The secret that signs the events is printed at the start.`,
  example: 'tributary webhooks listen --forward-to http://127.0.0.1:3000/hooks --event job.completed',
  flags,
  files: 'listen',
  async run(values, output, [action, ...rest]) {
    if (action !== 'listen' || rest.length > 0) throw new UsageError('The only action is `tributary webhooks listen`')
    const target = parseUrl('forward-to', values['forward-to'])
    const stopped = waitForStop()
    const server = createServer((request, response) => {
      forward(target, request, response, values.json ? printJson(output) : printText(output)).catch(() =>
        response.destroy(),
      )
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve)
    })
    try {
      const { port } = server.address() as AddressInfo
      const { webhook, secret } = await createWebhook(values, `http://127.0.0.1:${port}/`)
      try {
        output.out(
          values.json
            ? `${JSON.stringify({ ok: true, webhookId: webhook.id, secret, forwardTo: target })}\n`
            : `Forwarding events to ${target}   (Ctrl-C stops)\nThey are signed with ${secret}\n`,
        )
        await stopped
      } finally {
        await ask(values, 'DELETE', `/${webhook.id}`)
      }
      return 0
    } finally {
      server.close()
      server.closeAllConnections()
    }
  },
})

/** An event that was forwarded, and the app's answer. `status` is null if the app did not answer. */
interface Forwarded {
  readonly id: string
  readonly type: string
  readonly body: string
  readonly status: number | null
  readonly error?: string
}

const printJson =
  ({ out }: Output) =>
  ({ id, type, status, error, body }: Forwarded): void =>
    out(`${JSON.stringify({ id, type, status, ...(error ? { error } : {}), body })}\n`)

const printText =
  ({ out }: Output) =>
  ({ id, type, status, error, body }: Forwarded): void =>
    out(`${type}  ${id}  ${status ?? `no answer: ${error}`}\n${body}\n`)

/** Forwards a request, prints its event and returns the app's answer, or 502 when the app did not answer. */
async function forward(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  print: (forwarded: Forwarded) => void,
): Promise<void> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBodyBytes) return void response.writeHead(413).end()
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  const event = readEvent(body)
  if (request.method !== 'POST' || !event) return void response.writeHead(400).end()
  const headers = Object.entries(request.headers).filter(
    (header): header is [string, string] => typeof header[1] === 'string' && !connectionHeaders.has(header[0]),
  )
  try {
    const signal = AbortSignal.timeout(forwardTimeoutMs)
    const answer = await fetch(target, { method: 'POST', headers, body, redirect: 'manual', signal })
    await answer.body?.cancel()
    print({ ...event, status: answer.status })
    response.writeHead(answer.status).end()
  } catch (error) {
    print({ ...event, status: null, error: describeFetchError(error) })
    response.writeHead(502).end()
  }
}

/** Returns the event in a body, or null if the body contains no event. */
function readEvent(bytes: Buffer): Omit<Forwarded, 'status'> | null {
  try {
    const body = bytes.toString()
    const { id, type } = JSON.parse(body) as { id?: unknown; type?: unknown }
    return typeof id === 'string' && typeof type === 'string' ? { id, type, body } : null
  } catch {
    return null
  }
}

async function createWebhook(
  values: Values,
  url: string,
): Promise<{ readonly webhook: { readonly id: string }; readonly secret: string }> {
  const { status, body } = await ask(values, 'POST', '', {
    url,
    description: 'tributary webhooks listen',
    ...(values.event.length > 0 ? { events: values.event } : {}),
  })
  if (status === 201) return body as { webhook: { id: string }; secret: string }
  const { error } = body as { error?: unknown }
  if (status === 401 || status === 403) throw new CommandError('--admin-token: the service does not accept it')
  if (error === 'private_address')
    throw new CommandError(
      `${values.address} sends events to public addresses only; use \`tributary dev\` on this machine, ` +
        'or an app with `webhooks.allowPrivateAddresses`',
    )
  if (error === 'too_many_webhooks')
    throw new CommandError('The service has 20 webhooks, the maximum; delete one in /admin')
  if (status === 400 && values.event.length > 0)
    throw new UsageError(`--event: expected types of docs/events.md, not "${values.event.join(', ')}"`)
  throw new CommandError(`Cannot create the webhook: ${values.address} answered ${status} (${String(error)})`)
}

/**
 * Calls the operator's API of webhooks. Throws `CommandError` when the service does not answer, and `UsageError` when a
 * flag is missing or invalid.
 */
async function ask(
  values: Values,
  method: string,
  path: string,
  json?: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const address = parseUrl('address', values.address).replace(/\/+$/, '')
  const token = values['admin-token']
  if (!token) throw new UsageError('--admin-token is required; TRIBUTARY_ADMIN_TOKEN sets it too')
  try {
    const reply = await fetch(`${address}/api/admin/webhooks${path}`, {
      method,
      headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(forwardTimeoutMs),
      ...(json ? { body: JSON.stringify(json) } : {}),
    })
    return { status: reply.status, body: await reply.json().catch(() => ({})) }
  } catch (error) {
    const left = method === 'DELETE' ? '. The webhook is still there: delete it in /admin' : ''
    throw new CommandError(`${address} does not answer (${describeFetchError(error)})${left}`)
  }
}

function parseUrl(flag: 'address' | 'forward-to', url: string | undefined): string {
  if (url === undefined) throw new UsageError(`--${flag} is required, such as --${flag} http://127.0.0.1:3000/hooks`)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`--${flag}: expected a URL such as http://127.0.0.1:3000/hooks, not "${url}"`)
  return url
}

/** Resolves at the first Ctrl-C or SIGTERM. A second signal ends the process immediately. */
function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}

/** Returns why `fetch` failed. The cause has the code, such as ECONNREFUSED. */
function describeFetchError(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: { readonly code?: string } }
  return cause?.code ?? message
}
