import type { Attributes } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { ConsoleSpanExporter, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../../core/work.ts';

const exporters = {
  'otlp/http/protobuf': () => new ProtobufExporter(),
  'otlp/http/json': () => new JsonExporter(),
  console: () => new ConsoleSpanExporter(),
};
export type TraceExport = keyof typeof exporters;

/** The exporter, which reads its endpoint, headers and time-out from OTEL_ variables. Says once when it fails, and when it sends again. */
export function createExporter(kind: TraceExport, log: Logger): SpanExporter {
  const exporter = exporters[kind]();
  let fails = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = Number(result.code) !== 0;
        if (failed && !fails)
          log.warn(
            { err: result.error },
            'Traces could not be sent: these spans are lost, later ones are tried; nothing else is affected',
          );
        if (!failed && fails) log.info({}, 'Traces are sent again');
        fails = failed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/** What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say goes before these attributes. */
export const resourceOf = (attributes: Attributes): Resource =>
  defaultResource()
    .merge(resourceFromAttributes(attributes))
    .merge(detectResources({ detectors: [envDetector] }));
