/** How to send traces, by the standard variables of OpenTelemetry. */
export type TraceExport = 'otlp/http/protobuf' | 'otlp/http/json' | 'console';

const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

/**
 * Null: no traces. A setting that Baton cannot follow gives a warning and no traces: these variables are often set for all
 * programs of a machine, so that they may not keep a server from starting.
 */
export function traceSettings(source: NodeJS.ProcessEnv): { traces: TraceExport | null; warnings: string[] } {
  const off = { traces: null, warnings: [] };
  if (source['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return off;
  const exporter = source['OTEL_TRACES_EXPORTER']?.trim() || (endpoints.some((name) => source[name]) ? 'otlp' : 'none');
  if (exporter === 'none') return off;
  if (exporter === 'console') return { traces: 'console', warnings: [] };
  if (exporter !== 'otlp')
    return {
      traces: null,
      warnings: [`OTEL_TRACES_EXPORTER is '${exporter}', and no traces are sent: Baton knows otlp, console and none`],
    };
  const protocol =
    source['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || source['OTEL_EXPORTER_OTLP_PROTOCOL'] || 'http/protobuf';
  if (protocol === 'http/protobuf' || protocol === 'http/json') return { traces: `otlp/${protocol}`, warnings: [] };
  return {
    traces: null,
    warnings: [
      `The OTLP protocol is '${protocol}', and no traces are sent: Baton sends http/protobuf and http/json, which collectors take on port 4318`,
    ],
  };
}
