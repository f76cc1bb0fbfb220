import { Api } from './api.ts'
import { keepToken } from './credentials.ts'
import { Stop, type Terminal } from './terminal.ts'

/**
 * Device login: shows a code and a link, then asks every `interval` seconds whether somebody approved it. A service that
 * says `slow_down` is asked five seconds less often from then on (RFC 8628, section 3.5).
 */
export async function login(api: Api, terminal: Terminal): Promise<{ userId: string }> {
  const anonymous = new Api(api.base, null, terminal)
  const { json: start } = await anonymous.call('POST', '/api/cli/device/start', {
    body: { machine: terminal.machine.slice(0, 256) || 'unnamed' },
  })
  terminal.note(
    [
      '',
      `  Open  ${String(start['verificationUrlComplete'])}`,
      `  and check that it shows the code  ${String(start['userCode'])}`,
      '',
      `Waiting for your approval (until ${String(start['expiresAt'])})…`,
    ].join('\n'),
  )
  const path = `/api/cli/device/poll?deviceCode=${encodeURIComponent(String(start['deviceCode']))}`
  let interval = Number(start['interval'] ?? 5)
  for (;;) {
    await terminal.wait(interval * 1000)
    const { status, json, headers } = await anonymous.call('GET', path, { expect: [409, 410, 429] })
    if (status === 410) throw new Stop('expired_token', 'The code has expired. Start again with `login`.')
    if (status === 409) throw new Stop('access_denied', 'The login was denied, or its token was already taken.')
    if (status === 429) interval = Math.max(interval + 5, Number(headers.get('retry-after') ?? 0))
    if (json['status'] === 'approved' && typeof json['token'] === 'string') {
      keepToken(terminal, api.base, json['token'])
      return { userId: String(json['userId']) }
    }
  }
}

/** Ends the token at the service, then forgets it here; a token that the service no longer knows is forgotten too. */
export async function logout(api: Api, terminal: Terminal): Promise<void> {
  if (api.token) await api.call('POST', '/api/auth/sign-out', { expect: [401] })
  keepToken(terminal, api.base, null)
}
