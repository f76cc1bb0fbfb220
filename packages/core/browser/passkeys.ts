import { browserSupportsWebAuthn, startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser'

/**
 * Runs the passkey forms, `form[data-passkey]`: requests a challenge from the server and a passkey from the browser,
 * and submits the form with the browser's answer.
 */
type ErrorName = 'unsupported' | 'cancelled' | 'exists' | 'failed'

function showError(form: HTMLFormElement, name: ErrorName | null): void {
  for (const place of form.querySelectorAll<HTMLElement>('[data-error]')) place.hidden = place.dataset['error'] !== name
}

async function askForPasskey(form: HTMLFormElement): Promise<unknown> {
  const { passkey: purpose, challenge } = form.dataset
  const reply = await fetch(challenge!, { method: 'POST', body: new URLSearchParams({ purpose: purpose! }) })
  if (!reply.ok) throw new Error(`the challenge was answered with ${reply.status}`)
  const { options: optionsJSON } = await reply.json()
  return purpose === 'registration' ? startRegistration({ optionsJSON }) : startAuthentication({ optionsJSON })
}

function errorName(error: unknown): ErrorName {
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') return 'exists'
  // Browsers do not give more details, so that a page cannot find out who has a passkey.
  return error instanceof Error && error.name === 'NotAllowedError' ? 'cancelled' : 'failed'
}

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
  form.querySelector('[data-no-script]')!.remove()
  if (!browserSupportsWebAuthn()) {
    showError(form, 'unsupported')
    continue
  }
  const button = form.querySelector('button')!
  button.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.disabled = true
    showError(form, null)
    try {
      form.querySelector<HTMLInputElement>('[name=response]')!.value = JSON.stringify(await askForPasskey(form))
      form.submit()
    } catch (error) {
      showError(form, errorName(error))
      button.disabled = false
    }
  })
}
