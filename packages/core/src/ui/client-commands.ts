import { commandText, copyable, html, message, type Html } from './html.ts'

/** The command that starts the example client in a clone of the repository. */
const exampleCommand = 'npm run example:contributor --'

/** Returns the command line with which a person runs a command of the client. `client` is `brand.clientCommand`. */
export const clientCommand = (client: string | undefined, command: string): string =>
  `${client?.trim() ?? exampleCommand} ${command}`

/**
 * Renders the commands with which a client uploads to the service at a URL, and where to run them. `label` names the
 * list of the commands. Each command is copied separately. A person with a device that is signed in does not need the
 * login.
 */
export function clientCommands(
  label: Html,
  {
    url,
    client,
    hasDevice,
    names = ['setup', 'preview', 'upload'],
  }: {
    readonly url: string
    readonly client: string | undefined
    readonly hasDevice: boolean
    /** The commands after the login. */
    readonly names?: readonly string[]
  },
): Html {
  const commands = [
    `export TRIBUTARY_URL=${url}`,
    ...[...(hasDevice ? [] : ['login']), ...names].map((name) => clientCommand(client, name)),
  ]
  const contact = html`<a href="#support">${message('client.contact')}</a>`
  const isForUploads = names.includes('upload')
  const device = message(isForUploads ? 'client.deviceOfConversations' : 'client.yourDevice')
  const run =
    client === undefined ? message('client.runExample', { link: contact, device }) : message('client.run', { device })
  return html`<p>${isForUploads ? message('client.what') : null} ${run}</p>
    <ol class="commands" aria-label="${label}">
      ${commands.map((command) => html`<li>${copyable(html`<code>${commandText(command)}</code>`)}</li>`)}
    </ol>`
}
