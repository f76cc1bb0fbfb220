// What a host that stays needs beside the service. It is not in the package's main entry: a bundler would load it with every function.
export { publicAddress } from '../ads/public-address.ts'
export { serviceIntake } from '../ingest/service.ts'
