import { BatchSpanProcessor, ConsoleSpanExporter, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

/**
 * Starts OpenTelemetry's SDK with its context manager. In production pass `new OTLPTraceExporter()` of
 * `@opentelemetry/exporter-trace-otlp-http`; the default prints the spans. Returns a function that writes the last
 * spans and stops the SDK.
 */
export function startTelemetry(exporter: SpanExporter = new ConsoleSpanExporter()): () => Promise<void> {
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
  provider.register()
  return () => provider.shutdown()
}
