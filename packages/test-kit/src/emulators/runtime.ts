import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A Lambda environment on this machine. */
export interface LocalLambda {
  /**
   * Invokes the function. Concurrent invocations run one after the other, as in one sandbox. Rejects with the error of
   * the function, or if the function died.
   */
  invoke(event: unknown, timeoutMs?: number): Promise<unknown>
  /**
   * Ends the sandbox immediately, even during an invocation. The next invocation starts another sandbox. Resolves when
   * the sandbox has ended.
   */
  kill(): Promise<void>
  /** The number of sandboxes that were started so far. */
  readonly starts: number
  /** The output of the function. */
  readonly log: () => string
  close(): Promise<void>
}

export interface LambdaOptions {
  /** The runtime interface client: the folder of `aws-lambda-ric`. */
  readonly client: string
  /** The folder and name of the handler: `dist`, `http.handler`. */
  readonly folder: string
  readonly handler: string
  readonly env: Readonly<Record<string, string>>
}

interface Invocation {
  readonly id: string
  readonly event: string
  readonly timeoutMs: number
  resolve(result: unknown): void
  reject(error: Error): void
}

const readText = async (req: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

/**
 * Runs a function under Lambda's own runtime client, against an emulated Runtime API
 * (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html).
 */
export async function startLambda({ client, folder, handler, env }: LambdaOptions): Promise<LocalLambda> {
  const line: Invocation[] = []
  let [current, poll, child, starts, log, closing]: [
    Invocation | null,
    ServerResponse | null,
    ChildProcess | null,
    number,
    string,
    boolean,
  ] = [null, null, null, 0, '', false]

  function giveNext(): void {
    if (!poll || current || line.length === 0) return
    current = line.shift()!
    const headers = {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': current.id,
      'lambda-runtime-deadline-ms': String(Date.now() + current.timeoutMs),
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:us-east-1:123456789012:function:test',
      'lambda-runtime-trace-id': 'Root=1-0-0',
    }
    poll.writeHead(200, headers).end(current.event)
    poll = null
  }

  function start(): void {
    starts++
    const own = spawn(process.execPath, [`${client}/index.mjs`, handler], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
        LAMBDA_TASK_ROOT: folder,
        _HANDLER: handler,
        AWS_REGION: 'us-east-1',
        AWS_LAMBDA_FUNCTION_NAME: 'test',
        AWS_LAMBDA_FUNCTION_VERSION: '1',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
        AWS_LAMBDA_LOG_GROUP_NAME: 'group',
        AWS_LAMBDA_LOG_STREAM_NAME: 'stream',
        ...env,
      },
    })
    child = own
    for (const stream of [own.stdout, own.stderr]) stream.on('data', (part: Buffer) => (log += part.toString()))
    own.once('exit', () => {
      if (child === own) child = null
      poll = null
      current?.reject(new Error(`the sandbox ended\n${log.slice(-2_000)}`))
      current = null
      if (line.length > 0 && !closing) start()
    })
  }

  async function kill(): Promise<void> {
    const own = child
    own?.kill('SIGKILL')
    if (own && own.exitCode === null && own.signalCode === null) await once(own, 'exit')
  }

  const server = createServer(
    (req, res) =>
      void (async () => {
        const done = /\/invocation\/([^/]+)\/(response|error)$/.exec(req.url!)
        if (req.url!.endsWith('/invocation/next')) {
          poll = res
          return giveNext()
        }
        const body = await readText(req)
        const own = current
        if (done && own && own.id === done[1]) {
          const { resolve, reject } = own
          current = null
          if (done[2] === 'response') resolve(body === '' ? undefined : JSON.parse(body))
          else reject(Object.assign(new Error(body), JSON.parse(body) as object))
        } else if (req.url!.endsWith('/init/error')) for (const one of line.splice(0)) one.reject(new Error(body))
        res.writeHead(202).end()
      })(),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    invoke: (event, timeoutMs = 30_000) =>
      new Promise((resolve, reject) => {
        line.push({ id: randomUUID(), event: JSON.stringify(event), timeoutMs, resolve, reject })
        if (!child) start()
        giveNext()
      }),
    kill,
    get starts() {
      return starts
    },
    log: () => log,
    async close() {
      closing = true
      await kill()
      server.closeAllConnections()
      server.close()
    },
  }
}
