import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gateways, hostility, runHostContract, startGateway, startLambda, type Gateway } from '@tributary/test-kit'
import { describe } from 'vitest'
import { wire } from '../../../host-node/src/http/wire.fixture.ts'
import { bundleFunctions } from '../bundle.ts'

const client = process.env['TRIBUTARY_RIC']

/** The service of the laws as a function of its own: what fails is the handler, the bundle, the runtime client or the gateway. */
const entry = {
  contents: `
    import { echoService } from '../../test-kit/src/echo.ts'
    import { toLambdaHandler } from './index.ts'
    export const handler = toLambdaHandler(echoService())
  `,
  resolveDir: fileURLToPath(new URL('..', import.meta.url)),
}

describe.skipIf(!client)("a bundle under Lambda's own runtime client", () => {
  for (const gateway of Object.keys(gateways) as Gateway[]) {
    runHostContract({
      name: `over HTTP, behind a hostile ${gateway}`,
      loses: gateways[gateway],
      async open() {
        const folder = mkdtempSync(join(tmpdir(), 'tributary-laws-'))
        await bundleFunctions({ entries: { echo: entry }, outdir: folder, conditions: ['tributary-source'] })
        const lambda = await startLambda({ client: client!, folder, handler: 'echo.handler', env: {} })
        const { url, close } = await startGateway((event) => lambda.invoke(event), { gateway, hostile: hostility })
        return {
          request: (...args) => wire(url, ...args),
          async close() {
            await close()
            await lambda.close()
            rmSync(folder, { recursive: true, force: true })
          },
        }
      },
    })
  }
})
