import type { ReactNode } from 'react';

// 16 x 16, with strokes in the text's colour.
const shapes = {
  play: <path d="M5 3.5v9l7-4.5z" fill="currentColor" stroke="none" />,
  pause: <path d="M5.5 4v8M10.5 4v8" />,
  check: <path d="m3.5 8.5 3 3 6-7" />,
  doubleCheck: <path d="m1.5 8.5 3 3 6-7M8 11.5l6.5-7" />,
  cross: <path d="m4 4 8 8m0-8-8 8" />,
  ban: <path d="M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM4.2 4.2l7.6 7.6" />,
  alert: <path d="M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1" />,
  clock: <path d="M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2.2 1.4" />,
  hourglass: (
    <path d="M4.5 2.5h7M4.5 13.5h7M5.5 2.5c0 3 5 3.5 5 5.5s-5 2.5-5 5.5M10.5 2.5c0 3-5 3.5-5 5.5s5 2.5 5 5.5" />
  ),
  back: <path d="M6.5 4 3 7.5 6.5 11M3.5 7.5H10a3 3 0 0 1 0 6H8" />,
  arrow: <path d="M2.5 8h11M9.5 4l4 4-4 4" />,
  left: <path d="M13.5 8h-11M6.5 4l-4 4 4 4" />,
  swap: <path d="M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13" />,
  user: <path d="M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM3 13.5c.5-2.5 2.5-3.7 5-3.7s4.5 1.2 5 3.7" />,
  bot: <path d="M3.5 6h9v6.5h-9zM8 3v3M6 9v.6M10 9v.6M1.8 8.5v2M14.2 8.5v2" />,
  inbox: <path d="M2.5 9.5 4.3 3h7.4l1.8 6.5v3.5h-11zM2.5 9.5H6c0 1.2.8 2 2 2s2-.8 2-2h3.5" />,
  graph: (
    <path d="M4 6.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM12 9.7a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM5 13.5a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM5.6 5.2l4.8 2.2M6.5 11.2l4-2.4" />
  ),
  pipeline: <path d="M1.5 5.5h4v5h-4zM10.5 5.5h4v5h-4zM5.5 8h5M8.5 6l2 2-2 2" />,
  list: <path d="M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4v.1M2.5 8v.1M2.5 12v.1" />,
  search: <path d="M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5l3 3" />,
  sun: (
    <path d="M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1" />
  ),
  moon: <path d="M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z" />,
  screen: <path d="M2.5 3.5h11v7.5h-11zM6 13.5h4M8 11v2.5" />,
  copy: <path d="M5.5 5.5h7.5v8H5.5zM3 10.5v-8h7.5" />,
  download: <path d="M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.5h10" />,
  chevron: <path d="m6 3.5 4.5 4.5L6 12.5" />,
  tool: <path d="M10 2.8a3.3 3.3 0 0 0-3.7 4.5l-4 4 2.4 2.4 4-4A3.3 3.3 0 0 0 13.2 6L11 8.2 8 7.9 7.8 5z" />,
  file: <path d="M4 2.5h5.5L12.5 5.5v8H4zM9.5 2.5v3h3" />,
  task: <path d="M3 3h10v10H3zM5.5 8l2 2 3.5-4" />,
  bulb: <path d="M6 11.5C6 10 4 9.2 4 6.7a4 4 0 0 1 8 0c0 2.5-2 3.3-2 4.8zM6.3 13.5h3.4" />,
  key: <path d="M5 8.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM6.8 9.2l6-6M10.5 5.5l2 2" />,
  exit: <path d="M6.5 2.5h-4v11h4M6 8h8M10.8 4.8 14 8l-3.2 3.2" />,
  info: <path d="M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 7.3v3.5M8 5.1v.1" />,
  live: <circle cx="8" cy="8" r="3.5" fill="currentColor" stroke="none" />,
  code: <path d="M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5" />,
  more: <path d="M3.5 8v.1M8 8v.1M12.5 8v.1" strokeWidth="2.4" />,
  plus: <path d="M8 3v10M3 8h10" />,
  upload: <path d="M8 10.5V3M4.8 6 8 2.8 11.2 6M3 13.5h10" />,
  dash: <path d="M4 8h8" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof shapes;

/**
 * Hidden from screen readers: a word stands beside it, or its button has a name. Use the natural size in long lists: a
 * scaled or clipped icon is a compositor layer of its own (10% of a frame on the list of sessions).
 */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      overflow="visible"
    >
      {shapes[name]}
    </svg>
  );
}
