import type { Act } from '../access/may.ts';
import type { IconName } from '../ui/Icon.tsx';

/** The pages of the navigation, with the key that goes there after `g`; with `act` for viewers that may do it. */
export const places: { href: string; word: string; key: string; icon: IconName; of: RegExp; act?: Act }[] = [
  { href: '/', word: 'Attention', key: 'h', icon: 'alert', of: /^\/(attention)?$/ },
  { href: '/sessions', word: 'Sessions', key: 's', icon: 'list', of: /^\/sessions/ },
  { href: '/decide', word: 'Decide', key: 'd', icon: 'bulb', of: /^\/decide/ },
  { href: '/inbox', word: 'Inbox', key: 'i', icon: 'inbox', of: /^\/inbox/ },
  { href: '/queue', word: 'Queue', key: 'q', icon: 'hourglass', of: /^\/queue/ },
  { href: '/agents', word: 'Agents', key: 'a', icon: 'bot', of: /^\/agents/ },
  { href: '/pipelines', word: 'Pipelines', key: 'p', icon: 'pipeline', of: /^\/pipelines/ },
  { href: '/tools', word: 'Tools', key: 't', icon: 'tool', of: /^\/tools/ },
  { href: '/handoffs', word: 'Handoffs', key: 'o', icon: 'swap', of: /^\/handoffs/ },
  { href: '/graph', word: 'Graph', key: 'g', icon: 'graph', of: /^\/graph/ },
  { href: '/webhooks', word: 'Webhooks', key: 'w', icon: 'live', of: /^\/webhooks/, act: 'manageWebhooks' },
];
