import type { Rule } from './finding.ts';

// Password hashes, as htpasswd, /etc/shadow and frameworks write them: they allow offline guessing.

const dollar = String.raw`\\{0,3}\$`;
const itoa = '[./A-Za-z0-9]';
const hash = (pattern: string, ...hints: string[]): Rule => ({
  kind: 'password hash',
  hints,
  pattern: new RegExp(pattern, 'g'),
});

export const hashRules: readonly Rule[] = [
  hash(`${dollar}(?:apr1|1)${dollar}${itoa}{1,16}${dollar}${itoa}{22}`, '$apr1', '$1'),
  hash(`${dollar}[56]${dollar}(?:rounds=\\d{1,9}${dollar})?${itoa}{1,16}${dollar}${itoa}{43,86}`, '$5', '$6'),
  hash(`${dollar}(?:y|gy|7)${dollar}(?:${itoa}{1,16}${dollar})?${itoa}{1,86}${dollar}${itoa}{43}`, '$y', '$gy', '$7'),
  hash(`${dollar}2[abxy]?${dollar}\\d\\d${dollar}${itoa}{53}`, '$2'),
  hash(
    `${dollar}argon2(?:id|i|d)${dollar}v=\\d{1,3}${dollar}m=\\d{1,9},t=\\d{1,4},p=\\d{1,4}${dollar}[A-Za-z0-9+/]{8,100}${dollar}[A-Za-z0-9+/]{16,200}`,
    '$argon2',
  ),
  hash(`pbkdf2[_:]sha\\d{1,3}[:$]\\d{1,9}${dollar}[\\w+/=.-]{4,64}${dollar}[A-Za-z0-9+/=]{32,200}`, 'pbkdf2'),
  hash(`scrypt:\\d{1,9}:\\d{1,3}:\\d{1,3}${dollar}[\\w+/=.-]{4,64}${dollar}[a-f0-9]{64,200}`, 'scrypt:'),
  hash(String.raw`\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{27,120}={0,2}`, 'SHA'),
];
