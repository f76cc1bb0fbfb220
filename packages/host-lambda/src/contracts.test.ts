import { gateways, hostility, runHostContract, lambdaHost, type Gateway, type Stand } from '@tributary/test-kit'
import { toLambdaHandler, type LambdaHandler } from './index.ts'

const invoke =
  (handler: LambdaHandler) =>
  (event: unknown): Promise<unknown> =>
    handler(event as never)

for (const gateway of Object.keys(gateways) as Gateway[]) {
  const loses = gateways[gateway]
  runHostContract({
    name: `Lambda behind ${gateway}`,
    loses,
    open: async (service) => lambdaHost(invoke(toLambdaHandler(service)), { gateway }),
  })
  runHostContract({
    name: `Lambda behind a hostile ${gateway}`,
    loses,
    open: async (service) => lambdaHost(invoke(toLambdaHandler(service)), { gateway, hostile: hostility }),
  })
}

const runStageContract = (stand: Stand, basePath: string | undefined): void =>
  runHostContract({
    name: `Lambda behind ${stand.gateway} at a stage`,
    prefix: '/prod',
    loses: gateways[stand.gateway],
    open: async (service) =>
      lambdaHost(invoke(toLambdaHandler(service, basePath === undefined ? {} : { basePath })), {
        ...stand,
        stage: 'prod',
      }),
  })

// A REST API removes its stage from the path, and an HTTP API keeps it.
runStageContract({ gateway: 'rest', hostile: hostility }, '')
runStageContract({ gateway: 'http', hostile: hostility }, undefined)
runStageContract({ gateway: 'http-1' }, '/prod/')
