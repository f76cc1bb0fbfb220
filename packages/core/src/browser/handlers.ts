import { reply, mount, type Handlers, type Mounted } from '../http/route.ts'
import { browserContract } from './contract.ts'
import { scripts } from './generated.ts'

const script = (name: keyof typeof scripts) =>
  reply(200, scripts[name], [
    ['content-type', 'text/javascript; charset=utf-8'],
    ['cache-control', 'public, max-age=3600'],
  ])

const browserHandlers: Handlers<typeof browserContract, null> = {
  chartsScript: () => script('charts'),
  campaignPreviewScript: () => script('campaign-preview'),
  passkeysScript: () => script('passkeys'),
  pageScript: () => script('page'),
}

/** Binds the routes of the scripts of the pages. The preview of campaigns belongs to ads. */
export const mountBrowserScripts = ({ ads }: { readonly ads: boolean }): Mounted[] =>
  mount(browserContract, browserHandlers, null).filter(({ name }) => ads || name !== 'campaignPreviewScript')
