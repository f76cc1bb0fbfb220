import { formError, html, type Html, messagesOf, notice, page } from '../../ui/html.ts'
import { adminMessages } from '../../messages/admin/frame.ts'
import { passkeyMessages } from '../../messages/admin/passkeys.ts'
import type { ChallengePurpose } from './store.ts'

const message = messagesOf(passkeyMessages)
const shared = messagesOf(adminMessages)

/**
 * Renders a form that only the script of passkeys submits, since browsers offer passkeys only to scripts. The script
 * shows the button in place of the sentence about scripts, puts the passkey's answer into the field `response`, and
 * shows one of the errors.
 */
export function passkeyForm(view: {
  readonly prefix: string
  readonly purpose: ChallengePurpose
  /** The form's path below the mount prefix. */
  readonly action: string
  readonly fields: Html
  readonly button: Html
}): Html {
  const { prefix, purpose, action, fields, button } = view
  const error = (name: 'unsupported' | 'cancelled' | 'exists' | 'failed'): Html =>
    html`<p class="notice error" role="alert" data-error="${name}" hidden>${message(`passkeys.error.${name}`)}</p>`
  return html`<form
      method="post"
      action="${prefix}${action}"
      data-passkey="${purpose}"
      data-challenge="${prefix}/admin/keys/challenge"
    >
      ${fields}<input type="hidden" name="response" />
      ${error('unsupported')}${error('cancelled')}${error('exists')}${error('failed')}
      <p><button hidden>${button}</button></p>
      <p class="notice info" data-no-script>${message('passkeys.noScript')}</p>
    </form>
    <script type="module" src="${prefix}/assets/passkeys.js"></script>`
}

/** Renders the second step of an operator's sign-in: the passkey is requested after the token. */
export function passkeyPage(view: {
  readonly prefix: string
  /** The path of the operator's page to open after the sign-in. */
  readonly next: string
  readonly name: string
  /** The reason why no passkey of the operator can be used here. */
  readonly obstacle: 'no_verifier' | 'no_domain' | 'other_domain' | null
  /** The domains of the operator's passkeys. */
  readonly domains: readonly string[]
  /** Whether the passkey was refused. */
  readonly isDenied: boolean
}): string {
  const { prefix, next, name, obstacle, domains, isDenied } = view
  return page({
    title: message('passkeys.confirmTitle'),
    isInvalid: isDenied,
    prefix,
    nav: html`<form method="post" action="${prefix}/admin/sign-out">
      <button class="plain">${shared('admin.signOut')}</button>
    </form>`,
    main: html`${isDenied ? formError(message('passkeys.denied')) : null}
      <p>${message('passkeys.confirm', { name: html`<strong><bdi>${name}</bdi></strong>` })}</p>
      ${
        obstacle === null
          ? passkeyForm({
              prefix,
              purpose: 'sign_in',
              action: '/admin/keys/sign_in',
              fields: html`<input type="hidden" name="next" value="${next}" />`,
              button: message('passkeys.use'),
            })
          : notice('error', obstacleText(obstacle, domains))
      }
      <p class="hint">${message('passkeys.lost')}</p>`,
  })
}

/** Renders the reason why no passkey can be used. */
export function obstacleText(
  obstacle: 'no_verifier' | 'no_domain' | 'other_domain',
  domains: readonly string[] = [],
): Html {
  if (obstacle === 'other_domain')
    return message('passkeys.otherDomain', { domains: html`<bdi>${domains.join(', ')}</bdi>` })
  return message(obstacle === 'no_domain' ? 'passkeys.noDomain' : 'passkeys.noVerifier', {
    package: html`<code>@simplewebauthn/server</code>`,
    option: html`<code>passkeys</code>`,
    flag: html`<code>--base-url</code>`,
  })
}
