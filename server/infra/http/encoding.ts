import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type BrotliOptions,
  type ZlibOptions,
} from 'node:zlib';

export type Encoding = 'br' | 'gzip' | 'identity';

/** The best encoding that `Accept-Encoding` allows. */
export function chooseEncoding(accepted: string | undefined): Encoding {
  const names = (accepted ?? '').split(',').filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item));
  const accepts = (name: string) => names.some((item) => item.split(';')[0]?.trim() === name);
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : 'identity';
}

// For answers that are compressed once for each request: 5 MB of records in 10 and 15 ms, to a tenth.
const quick = 3;
const gzipOptions: ZlibOptions = { level: 4 };
/** The window keeps memory at half a megabyte for each answer. */
const brotliOptions = (quality: number, bytes = 0): BrotliOptions => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: 19,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
  },
});

export async function compress(body: Buffer, encoding: Encoding, brotliQuality = quick): Promise<Buffer> {
  if (encoding === 'br') return promisify(brotliCompress)(body, brotliOptions(brotliQuality, body.length));
  return encoding === 'gzip' ? promisify(gzip)(body, gzipOptions) : body;
}

/** Compresses parts as they are read. Asks for the next part when the one before is compressed, so that at most one waits. */
export function compressParts(parts: AsyncIterable<Uint8Array>, encoding: 'br' | 'gzip'): AsyncIterable<Buffer> {
  const compressor = encoding === 'br' ? createBrotliCompress(brotliOptions(quick)) : createGzip(gzipOptions);
  // The error reaches the reader too: `pipeline` destroys the compressor with it.
  return pipeline(parts, compressor, () => undefined);
}
