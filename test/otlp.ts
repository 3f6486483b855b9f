import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { atEnd } from './database.ts';

type Value = { stringValue: string } | { intValue: number } | { doubleValue: number } | { boolValue: boolean };
interface Attribute {
  key: string;
  value: Value;
}
interface Encoded {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  links?: { traceId: string; spanId: string; attributes: Attribute[] }[];
  events?: { name: string; timeUnixNano: string }[];
  status: { code?: number; message?: string };
}
interface Request {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Encoded[] }[] }[];
}

const attributesOf = (attributes: Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]));
const msOf = (nanoseconds: string): number => Number(BigInt(nanoseconds) / 1_000_000n);

/** A span as a collector receives it. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parent: string | undefined;
  name: string;
  kind: number;
  start: number;
  end: number;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string; attributes: Record<string, unknown> }[];
  events: { name: string; at: number }[];
  status: { code?: number; message?: string };
  resource: Record<string, unknown>;
}

/** A collector of OTLP over HTTP with JSON, and the variables by which a server sends to it at once. */
export async function otlpReceiver(answer?: (request: IncomingMessage, response: ServerResponse) => void) {
  const spans: ReceivedSpan[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    if (answer !== undefined) return answer(request, response);
    void json(request).then((body) => {
      for (const { resource, scopeSpans } of (body as Request).resourceSpans) {
        for (const {
          parentSpanId,
          startTimeUnixNano,
          endTimeUnixNano,
          attributes,
          links = [],
          events = [],
          ...span
        } of scopeSpans.flatMap((scope) => scope.spans)) {
          spans.push({
            ...span,
            parent: parentSpanId,
            start: msOf(startTimeUnixNano),
            end: msOf(endTimeUnixNano),
            attributes: attributesOf(attributes),
            links: links.map(({ traceId, spanId, attributes: of }) => ({
              traceId,
              spanId,
              attributes: attributesOf(of),
            })),
            events: events.map(({ name, timeUnixNano }) => ({ name, at: msOf(timeUnixNano) })),
            resource: attributesOf(resource.attributes),
          });
        }
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    spans,
    requests,
    endpoint,
    variables: {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
  };
}

/** The spans of a trace as a tree, in the order of their starts, with the links of each. */
export function pictureOf(spans: readonly ReceivedSpan[]): string {
  const nameOf = (spanId: string): string => spans.find((span) => span.spanId === spanId)?.name ?? spanId;
  const below = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter((span) => span.parent === parent)
      .sort((a, b) => a.start - b.start || a.end - b.end)
      .flatMap((span) => [
        `${'  '.repeat(depth)}${span.name}${span.links.map(({ spanId, attributes }) => ` <- ${String(attributes['baton.link'])}: ${nameOf(spanId)}`).join('')}`,
        ...below(span.spanId, depth + 1),
      ]);
  return below(undefined, 0).join('\n');
}
