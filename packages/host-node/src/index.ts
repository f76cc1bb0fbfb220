export { toApp, toNodeListener } from './http/app.ts'
export type { HostOptions } from './http/host.ts'
export { createMetrics, type MeasuredService, type Metrics, type MetricSources } from './http/metrics.ts'
export { listenMetrics, type ListenMetricsOptions } from './http/listen-metrics.ts'
export { listen, type Listening, type ListenOptions } from './http/listen.ts'
export { outsideFetch, type OutsideOptions } from './http/outside.ts'
export type { Page } from './http/page.ts'
export { fileBlobs } from './sqlite/blobs.ts'
export { openLocal, type LocalDatabase, type LocalOptions } from './sqlite/local.ts'
export { countryFrom, type CountrySource } from './country.ts'
export { createLogger } from './log.ts'
export { smtpMailer } from './mail.ts'
export { maxmindCountry, type MaxmindOptions } from './maxmind.ts'
export { nodeDigest, nodeRandom } from './platform.ts'
export { secretlintVerifier } from './secretlint.ts'
export {
  transformersDetector,
  type DetectorModel,
  type TransformersDetector,
  type TransformersDetectorOptions,
} from './detector-model/model-detector.ts'
export { serve, type ServeOptions, type Serving } from './serve.ts'
export type { DatabaseConfig, ServerConfig } from './server-config.ts'
