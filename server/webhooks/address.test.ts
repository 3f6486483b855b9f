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
  ])('%s is refused', (address) => {
    expect(isAllowed(address, https)).toBe(false);
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
