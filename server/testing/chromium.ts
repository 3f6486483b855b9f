import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const onMac = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** A browser that talks to nobody but the page's server; `atEnd` is told how to close it. */
export async function launchChromium(atEnd: (close: () => Promise<void>) => void): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: findChromium() ?? installChromium(),
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

function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = [
    process.env.CHROMIUM ?? '',
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
    ...onMac,
  ];
  return candidates.find((path) => path !== '' && isExecutable(path));
}

function installChromium(): string {
  const missing = 'The browser tests need Chromium: install it from the packages of your system, or set CHROMIUM to its path';
  if (process.getuid?.() !== 0) throw new Error(missing);
  process.stderr.write('Chromium is missing: installing it with apt-get\n');
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch {
    throw new Error(missing);
  }
  const path = findChromium();
  if (path === undefined) throw new Error(missing);
  return path;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
