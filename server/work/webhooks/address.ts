import ipaddr from 'ipaddr.js';
import { redactText } from '../redaction/redact.ts';

/** Which addresses webhooks may reach: public ones by https, and those that BATON_WEBHOOK_ALLOW names also by http. */

const isNamed = (address: ipaddr.IPv4 | ipaddr.IPv6, allow: readonly string[]): boolean =>
  allow.some((network) => {
    const [base, bits] = ipaddr.isValidCIDR(network)
      ? ipaddr.parseCIDR(network)
      : [ipaddr.process(network), ipaddr.process(network).kind() === 'ipv4' ? 32 : 128];
    return base.kind() === address.kind() && address.match(base, bits);
  });

// Of ranges that are public: the metadata service of Azure. Those of other providers are link-local, shared or unique local.
const metadata = new Set(['168.63.129.16']);
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Global unicast, and nothing that IANA reserves for a special purpose: IPv6 addresses that embed one of IPv4 are none either. */
const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.range() === 'unicast' &&
  !metadata.has(address.toString()) &&
  (address.kind() === 'ipv4' || address.match(globalUnicast));

/** Whether a webhook may reach this address. An IPv4 address in the form of IPv6 counts as itself. */
export function isAllowed(text: string, { https, allow }: { https: boolean; allow: readonly string[] }): boolean {
  // `ipaddr.js` takes ::1.2.3.4 for a mapped address; the form of URLs has no dots.
  const url = text.includes(':') ? `http://[${text}]` : null;
  if (url !== null && !URL.canParse(url)) return false;
  const form = url === null ? text : new URL(url).hostname.slice(1, -1);
  if (!ipaddr.isValid(form)) return false;
  const address = ipaddr.process(form);
  return isNamed(address, allow) || (https && isPublic(address));
}

/** The host as an address; null for a name. */
export function literalOf({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(host) ? host : null;
}

/** Why this cannot be the URL of a webhook, as the end of a sentence that begins with its name; null when it can. Names are resolved when they are sent to. */
export function faultOfUrl(text: string, allow: readonly string[]): string | null {
  const url = /^\S+$/.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    return 'is not the address of a web server: give one such as https://example.com/baton';
  if (url.username !== '' || url.password !== '')
    return 'contains a user name or a password, which would be stored: leave them out. Each delivery is signed instead';
  if (url.hash !== '') return "has a part after '#', which is never sent: leave it out";
  const https = url.protocol === 'https:';
  if (!https && allow.length === 0)
    return 'is http, which anybody on the way can read: give an https address, or set BATON_WEBHOOK_ALLOW to the network of the receiver';
  const literal = literalOf(url);
  if (literal === null || isAllowed(literal, { https, allow })) return null;
  if (https || isAllowed(literal, { https: true, allow })) {
    return https
      ? `is the private address ${literal}: give a public one, or set BATON_WEBHOOK_ALLOW to it`
      : 'is http to a public address: give an https address';
  }
  return `is the private address ${literal}: give a public one, or set BATON_WEBHOOK_ALLOW to it`;
}

/** A secret in the address would be stored, and removing it would make another address. */
export const faultOfSecret = (url: string): string | null =>
  redactText(url).count === 0
    ? null
    : 'contains a secret, which would be stored: give an address without one. Each delivery is signed instead';
