export { start } from '../start.ts'
export { mountDeviceAuthorization } from '../../auth/device.ts'
