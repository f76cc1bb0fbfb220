export { bundle } from './bundle.ts'
export { startHrana, type Hrana, type HranaOptions } from './hrana.ts'
export { hostLaws, type HostLaws, type HostReply, type HostUnderTest } from './host.ts'
export { allBytes, echoService, jsonLimit, type Echo } from './echo.ts'
