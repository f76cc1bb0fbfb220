import { saveToken } from './credentials.ts'
import { connect, readValue, type Service } from './service.ts'
import { CommandError, type CommandResult, type Terminal } from './terminal.ts'

/**
 * Authorizes this device: shows a code and a link, then polls every `interval` seconds until somebody approves the
 * device. After `slow_down` the interval is five seconds longer (RFC 8628, section 3.5).
 */
export async function logIn({ base }: Service, terminal: Terminal): Promise<CommandResult> {
  const { client } = connect(base, null, terminal)
  const machine = terminal.machine.slice(0, 256) || 'unnamed'
  const started = await client.startDevice({ body: { machine }, retry: true })
  if (!started.ok && started.status === 404)
    throw new CommandError(
      'service_not_found',
      `No Tributary service answers at ${base}. --url needs the path too, such as https://example.com/tributary.`,
      1,
      ['login'],
    )
  const start = readValue(started)
  terminal.note(
    [
      '',
      `  Open  ${start.verificationUrlComplete}`,
      `  and check that it shows the code  ${start.userCode}`,
      '',
      `Waiting for your approval (until ${start.expiresAt})…`,
    ].join('\n'),
  )
  terminal.openBrowser(start.verificationUrlComplete)
  let interval = start.interval
  for (;;) {
    await terminal.wait(interval * 1000)
    const result = await client.pollDevice({ query: { deviceCode: start.deviceCode }, retry: false })
    if (!result.ok) {
      if (result.status === 410)
        throw new CommandError('expired_token', 'The code has expired. Start again with `login`.', 1, ['login'])
      if (result.status === 409)
        throw new CommandError('access_denied', 'The login was denied, or its token was already used.', 1, ['login'])
      if (result.status === 429) interval = Math.max(interval + 5, (result.retryAfterMs ?? 0) / 1000)
      else if (![0, 502, 503, 504].includes(result.status)) readValue(result)
      continue
    }
    if (result.value.status === 'approved') {
      const { token, userId } = result.value
      saveToken(terminal, base, token)
      const account = await connect(base, token, terminal).client.readAccount({})
      const email = account.ok ? account.value.email : null
      return { json: { userId, email }, text: `Logged in as ${email ?? userId}.`, nextSteps: ['status', 'setup'] }
    }
  }
}

/** Revokes the token at the service, then deletes it here. Also deletes a token that is already revoked. */
export async function logOut({ base, token, client }: Service, terminal: Terminal): Promise<CommandResult> {
  if (token) {
    const result = await client.signOut({ retry: true })
    if (!result.ok && result.error !== 'unauthorized') readValue(result)
  }
  saveToken(terminal, base, null)
  return { json: {}, text: 'Logged out.', nextSteps: ['login'] }
}
