import { html, type Html } from './html.ts'

/** Renders the commands of the example client that upload to the service at a URL. `label` names the box of the commands. */
export function clientCommands(label: Html, url: string): Html {
  return html`<pre tabindex="0" role="region" aria-label="${label}"><code>export TRIBUTARY_URL=${url}
npm run example:contributor -- login
npm run example:contributor -- setup
npm run example:contributor -- preview
npm run example:contributor -- upload</code></pre>`
}
