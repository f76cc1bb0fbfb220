// What a host that stays needs beside the service. It is not in the package's main entry: a bundler would load it with every function.
export { publicAddress } from './ads/outward.ts'
export { serviceIntake } from './ingest/service.ts'
