import { commandText, copyable, html, mailLink, message, type Html } from './html.ts'

/** The command that starts the example client in a clone of the repository. */
const exampleCommand = 'npm run example:contributor --'

/** The facts about the client that pages state. */
export interface ClientTerms {
  /** Returns the public URL of a path of the service. */
  readonly link: (path: string) => string
  /** The command that starts the client. Null means the example client. */
  readonly clientCommand: string | null
  /** The URL where people get the client, or null. */
  readonly clientUrl: string | null
  /** Links to pages that exist only in development. Without links, the service is not in development. */
  readonly developmentLinks: readonly unknown[]
  readonly brand: { readonly supportEmail?: string }
}

/** Returns the command line with which a person runs a command of the client. */
export const clientCommand = (client: ClientTerms['clientCommand'], command: string): string =>
  `${client?.trim() ?? exampleCommand} ${command}`

/**
 * Renders the steps with which a client uploads to the service: how to get the client, and its commands. `label` names
 * the list of the steps. Each command is copied separately. A person with a device that is signed in does not need the
 * login.
 */
export function clientSteps(
  label: Html,
  terms: ClientTerms,
  {
    hasDevice,
    names = ['setup', 'preview', 'upload'],
  }: {
    readonly hasDevice: boolean
    /** The commands after the login. */
    readonly names?: readonly string[]
  },
): Html {
  const commands = [
    `export TRIBUTARY_URL=${terms.link('')}`,
    ...[...(hasDevice ? [] : ['login']), ...names].map((name) => clientCommand(terms.clientCommand, name)),
  ]
  const isForUploads = names.includes('upload')
  const device = message(isForUploads ? 'client.deviceOfConversations' : 'client.yourDevice')
  const source = clientSource(terms)
  return html`<p>${isForUploads ? message('client.what') : null} ${message('client.run', { device })}</p>
    <ol class="commands" aria-label="${label}">
      ${source && html`<li>${source}</li>`}
      ${commands.map((command) => html`<li>${copyable(html`<code>${commandText(command)}</code>`)}</li>`)}
    </ol>`
}

/** Renders how to get the client, or returns null if its command says so, as `npx` does. */
function clientSource({ link, clientUrl, developmentLinks, brand, ...terms }: ClientTerms): Html | null {
  const needs = terms.clientCommand === null ? message('client.exampleNeeds') : null
  if (clientUrl !== null) return html`<a href="${clientUrl}">${message('client.get')}</a>. ${needs}`
  if (terms.clientCommand !== null) return null
  if (developmentLinks.length > 0) return message('client.inDevelopment')
  if (brand.supportEmail === undefined) return html`${message('client.askOperator')} ${needs}`
  const address = mailLink(brand.supportEmail, message('client.subject', { url: encodeURIComponent(link('')) }))
  return html`${message('client.ask', { address })} ${needs}`
}
