export type Encoding = 'br' | 'gzip' | 'identity';

/** The best encoding that `Accept-Encoding` allows. */
export function chooseEncoding(accepted: string | undefined): Encoding {
  const names = (accepted ?? '').split(',').filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item));
  const accepts = (name: string) => names.some((item) => item.split(';')[0]?.trim() === name);
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : 'identity';
}
