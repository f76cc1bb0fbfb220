import { keepToken } from './credentials.ts'
import { connect, valueOf, type Service } from './service.ts'
import { Stop, type Terminal } from './terminal.ts'

/**
 * Authorizes this device: shows a code and a link, then polls every `interval` seconds until somebody approves it. After
 * `slow_down` it polls five seconds less often (RFC 8628, section 3.5).
 */
export async function login({ base }: Service, terminal: Terminal): Promise<{ userId: string }> {
  const { client } = connect(base, null, terminal)
  const machine = terminal.machine.slice(0, 256) || 'unnamed'
  const start = valueOf(await client.startDevice({ body: { machine }, retry: true }))
  terminal.note(
    [
      '',
      `  Open  ${start.verificationUrlComplete}`,
      `  and check that it shows the code  ${start.userCode}`,
      '',
      `Waiting for your approval (until ${start.expiresAt})…`,
    ].join('\n'),
  )
  let interval = start.interval
  for (;;) {
    await terminal.wait(interval * 1000)
    const result = await client.pollDevice({ query: { deviceCode: start.deviceCode }, retry: false })
    if (!result.ok) {
      if (result.status === 410) throw new Stop('expired_token', 'The code has expired. Start again with `login`.')
      if (result.status === 409) throw new Stop('access_denied', 'The login was denied, or its token was already used.')
      if (result.status === 429) interval = Math.max(interval + 5, (result.retryAfterMs ?? 0) / 1000)
      else if (![0, 502, 503, 504].includes(result.status)) valueOf(result)
      continue
    }
    if (result.value.status === 'approved') {
      keepToken(terminal, base, result.value.token)
      return { userId: result.value.userId }
    }
  }
}

/** Revokes the token at the service, then deletes it here; a token that is revoked already is deleted too. */
export async function logout({ base, token, client }: Service, terminal: Terminal): Promise<void> {
  if (token) {
    const result = await client.signOut({ retry: true })
    if (!result.ok && result.error !== 'unauthorized') valueOf(result)
  }
  keepToken(terminal, base, null)
}
