import { chromium, type Browser } from 'playwright-core';
import { chromiumProgram, requireProgram } from './programs.ts';

/** A browser restricted to the page's server; registers its cleanup with `atEnd`. */
export async function launchChromium(atEnd: (close: () => Promise<void>) => void): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: requireProgram(chromiumProgram),
    args: [
      '--headless',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  atEnd(() => browser.close());
  return browser;
}
