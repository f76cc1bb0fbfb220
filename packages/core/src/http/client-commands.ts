import { commandBlock, type Html } from './html.ts'

/** Renders the commands of the example client that upload to the service at a URL. `label` names the box of the commands. */
export function clientCommands(label: Html, url: string): Html {
  const commands = ['login', 'setup', 'preview', 'upload'].map((name) => `npm run example:contributor -- ${name}`)
  return commandBlock(label, [`export TRIBUTARY_URL=${url}`, ...commands].join('\n'))
}
