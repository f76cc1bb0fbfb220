import { vi } from 'vitest'

type Json = Record<string, unknown>

/** A device login as a client starts it. */
export interface Login {
  readonly deviceCode: string
  readonly userCode: string
  readonly verificationUrlComplete: string
  /** Seconds. */
  readonly interval: number
}

/** A person's command-line client, which uses the public interface. */
export interface Terminal {
  ask(method: string, path: string, body?: unknown, token?: string): Promise<{ status: number; body: Json }>
  login(machine: string): Promise<Login>
  /** Polls at the interval that the service requests, and resolves with the token. */
  polled(login: Login): Promise<string>
  /** Uploads and waits until the job is done. */
  upload(token: string, traces: readonly unknown[]): Promise<void>
  /** Returns the newest code that was mailed to an address. */
  mailed(to: string): Promise<string>
}

export function createTerminal(url: string): Terminal {
  const ask: Terminal['ask'] = async (method, path, body, token) => {
    const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) }
    const reply = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: reply.status, body: (await reply.json()) as Json }
  }
  return {
    ask,
    login: async (machine) => (await ask('POST', '/api/cli/device/start', { machine })).body as unknown as Login,
    async polled({ deviceCode, interval }) {
      for (;;) {
        const { status, body } = await ask('GET', `/api/cli/device/poll?deviceCode=${deviceCode}`)
        if (status === 200) return String(body['token'])
        if (status !== 202) throw new Error(`poll: ${status} ${JSON.stringify(body)}`)
        await new Promise((resolve) => setTimeout(resolve, interval * 1000 + 50))
      }
    },
    async upload(token, traces) {
      const { status, body } = await ask('POST', '/api/ingest', { traces }, token)
      if (status !== 202) throw new Error(`upload: ${status} ${JSON.stringify(body)}`)
      await vi.waitFor(
        async () => {
          const {
            body: { job },
          } = await ask('GET', `/api/ingest/jobs/${String(body['jobId'])}`, undefined, token)
          if ((job as Json)['status'] !== 'done')
            throw new Error(`upload: the job is ${String((job as Json)['status'])}`)
        },
        { interval: 100 },
      )
    },
    async mailed(to) {
      const mails = (await (await fetch(`${url}/dev/mail.json`)).json()) as { to: string; subject: string }[]
      return mails.find((mail) => mail.to === to)!.subject.slice(0, 6)
    },
  }
}
