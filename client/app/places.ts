import type { Act } from '../access/may.ts';
import type { IconName } from '../ui/Icon.tsx';

/** The pages of the navigation; with `act` for viewers that may do it. */
export const places: { href: string; word: string; icon: IconName; of: RegExp; act?: Act }[] = [
  { href: '/', word: 'Attention', icon: 'alert', of: /^\/(attention)?$/ },
  { href: '/sessions', word: 'Sessions', icon: 'list', of: /^\/sessions/ },
  { href: '/decide', word: 'Decide', icon: 'bulb', of: /^\/decide/ },
  { href: '/inbox', word: 'Inbox', icon: 'inbox', of: /^\/inbox/ },
  { href: '/queue', word: 'Queue', icon: 'hourglass', of: /^\/queue/ },
  { href: '/agents', word: 'Agents', icon: 'bot', of: /^\/agents/ },
  { href: '/pipelines', word: 'Pipelines', icon: 'pipeline', of: /^\/pipelines/ },
  { href: '/tools', word: 'Tools', icon: 'tool', of: /^\/tools/ },
  { href: '/handoffs', word: 'Handoffs', icon: 'swap', of: /^\/handoffs/ },
  { href: '/graph', word: 'Graph', icon: 'graph', of: /^\/graph/ },
  { href: '/webhooks', word: 'Webhooks', icon: 'live', of: /^\/webhooks/, act: 'manageWebhooks' },
];
