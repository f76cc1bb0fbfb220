import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gateways, hostility, runHostContract, startGateway, startLambda, type Gateway } from '@tributary/test-kit'
import { describe } from 'vitest'
import { sendRequest } from '../../../host-node/src/http/wire.fixture.ts'
import { buildFunctions } from '../bundle.fixture.ts'

const client = process.env['TRIBUTARY_RIC']
const entry = fileURLToPath(new URL('./echo.fixture.ts', import.meta.url))

describe.skipIf(!client)("a bundle under Lambda's own runtime client", () => {
  for (const gateway of Object.keys(gateways) as Gateway[]) {
    runHostContract({
      name: `over HTTP, behind a hostile ${gateway}`,
      loses: gateways[gateway],
      async open() {
        const folder = mkdtempSync(join(tmpdir(), 'tributary-contracts-'))
        await buildFunctions({ echo: entry }, folder)
        const lambda = await startLambda({ client: client!, folder, handler: 'echo.handler', env: {} })
        const { url, close } = await startGateway((event) => lambda.invoke(event), { gateway, hostile: hostility })
        return {
          request: (...args) => sendRequest(url, ...args),
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
