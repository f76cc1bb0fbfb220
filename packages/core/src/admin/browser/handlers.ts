import { mount, reply, type Handlers, type Mounted } from '../../http/route.ts'
import { browserContract } from './contract.ts'
import { chartsScript } from './generated.ts'

const browserHandlers: Handlers<typeof browserContract, null> = {
  chartsScript: () =>
    reply(200, chartsScript, [
      ['content-type', 'text/javascript; charset=utf-8'],
      ['cache-control', 'public, max-age=3600'],
    ]),
}

/** Binds the route of the script of the operator pages. */
export const mountBrowserScripts = (): Mounted[] => mount(browserContract, browserHandlers, null)
