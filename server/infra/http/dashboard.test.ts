import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildDashboard } from '../../../test/browser.ts';
import { testDatabase } from '../../../test/database.ts';
import { send } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { pagePaths } from './pages.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

const db = await testDatabase();
const { url } = await startApp(db);

beforeAll(buildDashboard, 120_000);

const page = { headers: { accept: 'text/html' } };

async function newFolder(): Promise<string> {
  const folder = temporaryFolder('baton-test');
  return folder;
}

/** The files that the page loads before anything else. */
async function firstLoad(): Promise<string[]> {
  const { body } = await send(url, page);
  return [...body.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path!);
}

describe('the served dashboard', () => {
  it.each(pagePaths.map((path) => path.replaceAll(/:\w+/g, 'session_01kc000000e00800000000002y')))(
    'is at %s',
    async (path) => {
      expect(await send(`${url}${path}`, page)).toMatchObject({
        status: 200,
        headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
      });
    },
  );

  it('names only files below its base path, at any depth', async () => {
    const { url: based } = await startApp(db, { variables: { BATON_BASE_PATH: '/tools/baton' } });
    for (const path of ['/', '/tools/new']) {
      const { body } = await send(`${based}${path}`, page);
      const files = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file!);
      expect(files.length).toBeGreaterThan(2);
      expect(files.filter((file) => !file.startsWith('/tools/baton/'))).toEqual([]);
    }
  });

  it('does not answer for the API, the downloads and unknown paths', async () => {
    expect((await send(`${url}/graphql`, page)).body).toContain('GraphiQL');
    expect(await send(`${url}/sessions/session_01kc000000e00800000000002y.json`)).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/json' },
    });
    expect(await send(`${url}/handoffs/x.md`)).toMatchObject({
      status: 404,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
    expect(await send(`${url}/somewhere/else`, page)).toMatchObject({ status: 404 });
    expect(await send(`${url}/assets/../package.json`, page)).toMatchObject({ status: 404 });
    expect(await send(`${url}/assets/missing.js`)).toMatchObject({ status: 404 });
    expect(
      (await send(`${url}/sessions/x/transcript`, { method: 'POST', body: '' })).headers['content-type'],
    ).toContain('json');
  });

  it('answers an unknown path with 404: a browser gets the page, other programs a text', async () => {
    const { headers, body } = await send(url, page);
    for (const path of ['/somewhere/else', '/sessions/a/b', '/tools/a/b', '/graph/', '/old.html']) {
      expect(await send(`${url}${path}`, page), path).toMatchObject({
        status: 404,
        body,
        headers: {
          'content-security-policy': headers['content-security-policy'],
          'content-type': 'text/html; charset=utf-8',
        },
      });
      expect(await send(`${url}${path}`, { headers: { accept: 'application/json' } }), path).toMatchObject({
        status: 404,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      });
    }
    expect(await send(`${url}/somewhere/else`, { ...page, method: 'HEAD' })).toMatchObject({ status: 404, body: '' });
  });

  it('allows no inline script, no other host and no frame', async () => {
    const { headers, body } = await send(url, page);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(body).not.toMatch(/<script(?![^>]*src=)|<style|style=|https?:/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });

  it('names files by their content for permanent caching, and revalidates the page', async () => {
    const script = (await firstLoad()).find((path) => path.startsWith('/assets/') && path.endsWith('.js'))!;
    expect((await send(`${url}${script}`)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const { headers } = await send(url, page);
    expect(await send(url, { headers: { 'if-none-match': String(headers['etag']) } })).toMatchObject({
      status: 304,
      body: '',
    });
  });

  it('is compressed as the browser accepts, and plain otherwise', async () => {
    const plain = await send(url, page);
    for (const encoding of ['br', 'gzip']) {
      const answer = await fetch(url, { headers: { 'accept-encoding': encoding } });
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(await answer.text()).toBe(plain.body);
    }
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect((await send(url, { method: 'HEAD' })).body).toBe('');
  });

  it('without a build returns 404 with the command to build it', async () => {
    const unbuilt = await startApp(db, { dashboardFolder: 'no/such/folder' });
    expect(await send(unbuilt.url)).toMatchObject({
      status: 404,
      body: expect.stringContaining('npm run build') as string,
    });
  });

  it('is read again after a build replaces its folder', async () => {
    const folder = await newFolder();
    const { url: other } = await startApp(db, { dashboardFolder: folder });
    for (const text of ['first', 'second, and longer']) {
      await writeFile(join(folder, 'index.html'), text);
      expect(await send(other, page)).toMatchObject({ status: 200, body: text });
    }
  });

  it.runIf(process.platform === 'linux')('aborts only the answer whose file cannot be read', async () => {
    const folder = await newFolder();
    await mkdir(join(folder, 'assets'));
    await symlink('/proc/self/mem', join(folder, 'assets', 'unreadable.js'));
    const { url: other } = await startApp(db, { dashboardFolder: folder });
    await expect(send(`${other}/assets/unreadable.js`)).rejects.toThrow();
    expect((await send(`${other}/livez`)).status).toBe(200);
  });

  it('obeys refused encodings, ignores ranges, and serves nothing outside of its folder', async () => {
    const script = (await firstLoad()).find((path) => path.startsWith('/assets/') && path.endsWith('.js'))!;
    const whole = await send(`${url}${script}`);
    expect(whole.headers).toMatchObject({
      'content-type': expect.stringContaining('javascript') as string,
      'x-content-type-options': 'nosniff',
    });
    const answer = await fetch(`${url}${script}`, { headers: { 'accept-encoding': 'br;q=0, gzip' } });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(await send(`${url}${script}`, { headers: { range: 'bytes=9-2' } })).toMatchObject({
      status: 200,
      body: whole.body,
    });
    for (const path of [
      '/assets/%2e%2e/%2e%2e/package.json',
      '/assets/..%2f..%2fpackage.json',
      '/assets/%00',
      '/assets/nothing',
      '/assets',
    ]) {
      expect((await send(`${url}${path}`)).status, path).toBe(404);
    }
  });
});
