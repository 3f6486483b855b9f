import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { faultOfSecret, faultOfUrl, isAllowed } from './address.ts';

const https = { https: true, allow: [] };

describe('an address that webhooks may reach', () => {
  it.each(['93.184.216.34', '1.1.1.1', '2606:4700:4700::1111'])('%s is public', (address) => {
    expect(isAllowed(address, https)).toBe(true);
    expect(isAllowed(address, { https: false, allow: [] })).toBe(false);
  });

  it.each([
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '127.9.9.9',
      '169.254.169.254',
      '172.16.0.1',
      '192.168.1.1',
      '192.0.2.1',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
    ],
    ...[
      '::',
      '::1',
      'fc00::1',
      'fe80::1',
      'ff02::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2001:db8::1',
      'not an address',
    ],
    // Metadata services of cloud providers.
    ...['168.63.129.16', '::ffff:168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'],
    ...['::127.0.0.1', '::93.184.216.34', '::ffff:0:93.184.216.34', '1::1', '4000::1', '8000::1'],
  ])('%s is refused', (address) => {
    expect(isAllowed(address, https)).toBe(false);
  });

  /** The special-purpose registries of IANA, multicast, what is reserved, and all that is no global unicast. */
  const special = [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
    ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
    ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
    ...[
      '::/3',
      '::/96',
      '::ffff:0:0:0/96',
      '64:ff9b::/96',
      '64:ff9b:1::/48',
      '100::/64',
      '100:0:0:1::/64',
      '2001::/23',
    ],
    ...[
      '2001:db8::/32',
      '2002::/16',
      '2620:4f:8000::/48',
      '3fff::/20',
      '4000::/2',
      '5f00::/16',
      '8000::/1',
      'fc00::/7',
    ],
    ...['fe80::/10', 'fec0::/10', 'ff00::/8'],
  ];
  const addressIn = (network: string) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    const bytes = base.toByteArray();
    return fc.uint8Array({ minLength: bytes.length, maxLength: bytes.length }).map((random) =>
      ipaddr.fromByteArray(
        bytes.map((byte, index) => {
          const mask = 0xff >> Math.min(8, Math.max(0, bits - index * 8));
          return (byte & ~mask) | (random[index]! & mask);
        }),
      ),
    );
  };
  // An address of IPv4 within ::/3 counts as itself when it is mapped.
  const isMapped = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
    address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress();

  it('is none of a special-purpose network, however it is written', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...special).chain((network) => addressIn(network)),
        (address) => {
          fc.pre(!isMapped(address));
          const forms = [address.toString(), address.toNormalizedString()];
          if (address.kind() === 'ipv4') {
            const [a, b, c, d] = address.toByteArray() as [number, number, number, number];
            const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
            forms.push(
              ...['::ffff:', '::', '64:ff9b::', '64:ff9b:1::'].map((prefix) => `${prefix}${hex}`),
              `2002:${hex}::`,
            );
          }
          for (const form of forms) {
            expect([form, isAllowed(form, https)]).toEqual([form, false]);
            const host = form.includes(':') ? `[${form}]` : form;
            expect(faultOfUrl(`https://${host}/`, [])).toContain('private address');
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is one that BATON_WEBHOOK_ALLOW names, by https and by http', () => {
    const allow = ['10.0.0.0/8', '127.0.0.1', 'fd00::/8'];
    for (const address of ['10.255.0.1', '127.0.0.1', '::ffff:127.0.0.1', 'fd12::1']) {
      expect([
        address,
        isAllowed(address, { https: false, allow }),
        isAllowed(address, { https: true, allow }),
      ]).toEqual([address, true, true]);
    }
    for (const address of ['11.0.0.1', '127.0.0.2', 'fe80::1'])
      expect([address, isAllowed(address, { https: false, allow })]).toEqual([address, false]);
  });
});

describe('the URL of a webhook', () => {
  it.each(['https://hooks.example.com/baton?team=1', 'https://93.184.216.34:8443/'])('%s is taken', (url) => {
    expect(faultOfUrl(url, [])).toBeNull();
    expect(faultOfSecret(url)).toBeNull();
  });

  it.each([
    ['', 'is not the address'],
    ['example.com/baton', 'is not the address'],
    ['https://example.com/a b', 'is not the address'],
    ['https://exam\nple.com/', 'is not the address'],
    ['ftp://example.com', 'is not the address'],
    ['javascript:alert(1)', 'is not the address'],
    ['https://user@example.com', 'user name or a password'],
    ['https://:pass@example.com', 'user name or a password'],
    ['https://example.com/#x', "a part after '#'"],
    ['http://example.com', 'is http'],
    ['https://127.0.0.1', 'private address 127.0.0.1'],
    ['https://0x7f.1/', 'private address 127.0.0.1'],
    ['https://2130706433', 'private address 127.0.0.1'],
    ['https://[::1]/', 'private address ::1'],
    ['https://[::ffff:a9fe:a9fe]/', 'private address'],
    ['https://[::127.0.0.1]/', 'private address'],
    ['https://168.63.129.16/', 'private address'],
  ])('%s is refused', (url, says) => {
    expect(faultOfUrl(url, [])).toContain(says);
  });

  it('may be http to a network that BATON_WEBHOOK_ALLOW names, and to no public address', () => {
    expect(faultOfUrl('http://127.0.0.1:9/', ['127.0.0.0/8'])).toBeNull();
    expect(faultOfUrl('http://hooks.internal/', ['10.0.0.0/8'])).toBeNull();
    expect(faultOfUrl('http://93.184.216.34/', ['10.0.0.0/8'])).toContain('is http to a public address');
    expect(faultOfUrl('http://192.168.0.1/', ['10.0.0.0/8'])).toContain('private address 192.168.0.1');
  });

  it('is refused with a secret in it', () => {
    expect(faultOfSecret(`https://example.com/?api_key=${'sk-proj-'}${'aB3dE6gH9jK2mN5pQ8sT1vW4'}`)).toContain(
      'contains a secret',
    );
  });
});
