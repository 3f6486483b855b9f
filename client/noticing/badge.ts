import { basePath } from '../urql.ts';

/** Draws the number on the tab's icon and on that of the installed app; an empty text removes it. */
export async function showBadge(text: string): Promise<void> {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  const address = `${basePath}/icon.svg`;
  if (icon !== null) icon.href = text === '' ? address : numbered(text);
  if (!('setAppBadge' in navigator)) return;
  // A browser may refuse it. The number stands in the title too.
  await (text === '' ? navigator.clearAppBadge() : navigator.setAppBadge(digitsOf(text))).catch(() => undefined);
}

const digitsOf = (text: string): number => Number(text.replaceAll(/\D/g, ''));

/** Read on 16 pixels: a number fills the icon. */
function numbered(text: string): string {
  const count = digitsOf(text) > 99 ? '99+' : text;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#b42318"/><text x="16" y="${
    [0, 24, 23, 21][count.length]
  }" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="${[0, 24, 20, 15][count.length]}" fill="#fff">${count}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
