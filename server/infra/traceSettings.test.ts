import { expect, test } from 'vitest';
import { traceSettings } from './traceSettings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test.each<[string, NodeJS.ProcessEnv, string | null]>([
  ['nothing is set', {}, null],
  ['an endpoint is set', endpoint, 'otlp/http/protobuf'],
  [
    'an endpoint of traces is set',
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' },
    'otlp/http/protobuf',
  ],
  ['the exporter is set', { OTEL_TRACES_EXPORTER: 'otlp' }, 'otlp/http/protobuf'],
  ['the exporter is console', { OTEL_TRACES_EXPORTER: 'console' }, 'console'],
  ['the protocol is http/json', { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'otlp/http/json'],
  [
    'the protocol of traces differs',
    { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
    'otlp/http/json',
  ],
  ['the exporter is none', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, null],
  ['the SDK is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }, null],
  ['values are empty, as Compose files pass them', { OTEL_TRACES_EXPORTER: '', OTEL_EXPORTER_OTLP_ENDPOINT: '' }, null],
])('when %s', (_when, source, traces) => expect(traceSettings(source)).toEqual({ traces, warnings: [] }));

test.each<[string, NodeJS.ProcessEnv, string]>([
  ['another exporter', { OTEL_TRACES_EXPORTER: 'zipkin' }, 'Baton knows otlp, console and none'],
  ['another protocol', { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'port 4318'],
])('warns of %s and sends no traces', (_what, source, says) => {
  const { traces, warnings } = traceSettings(source);
  expect(traces).toBeNull();
  expect(warnings).toEqual([expect.stringContaining(says)]);
});
