/** Adds a bar above GraphiQL with a link to the dashboard and, where keys are required, a field for the key. */
export const framed = (html: string, { needsKey }: { needsKey: boolean }): string =>
  html
    .replace('</head>', () => `<style>${style}</style></head>`)
    .replace(
      '<div id="root"></div>',
      (root) =>
        `<header id="baton"><a href="./">Dashboard</a>${needsKey ? keyField : ''}</header>${root}${needsKey ? `<script>${sendKey}</script>` : ''}`,
    );

// GraphiQL moves its tabs by an animation when the page loads. Where the animation stops early, the first tab stays above
// others and takes their first press.
const style = `
  .graphiql-tabs .graphiql-tab { transform: none !important; }
  body { display: flex; flex-direction: column; height: 100vh; margin: 0; padding: 0; color-scheme: light dark; background: Canvas; color: CanvasText; }
  #baton { display: flex; gap: 24px; align-items: center; padding: 6px 16px; font: 14px system-ui, sans-serif; }
  #baton a { color: LinkText; }
  #baton input { width: 24em; max-width: 50vw; font: 13px ui-monospace, monospace; }
  #root { flex: 1; min-height: 0; }
  #root .graphiql-container { height: 100%; }
  @media (max-width: 48rem) {
    #root #graphiql-session { flex-direction: column; }
    #root #graphiql-session > .graphiql-horizontal-drag-bar, #root .graphiql-logo { display: none; }
    #root .graphiql-editors, #root .graphiql-response { flex: 1 1 50% !important; min-height: 0; }
    #root .graphiql-sidebar { width: 44px; }
  }`;

const keyField = `<label>Key <input type="password" autocomplete="off" spellcheck="false" placeholder="baton_..." aria-describedby="baton-key"></label>
  <span id="baton-key">Sent with every request. Signs in all tabs of this browser, until you close them.</span>`;

// The dashboard keeps its key in the same item of session storage, and its tabs give each other a key that works by the same messages
// (`client/access/tabs.ts`). A header of the tab's own is left as it is.
const sendKey = `
  (() => {
    const name = 'baton.key';
    const field = document.querySelector('#baton input');
    const send = window.fetch;
    const tabs = new BroadcastChannel(name + ' ' + location.pathname.replace(/\\/graphql\\/?$/, ''));
    // The key that the server accepted last.
    let works = null;
    const keep = () => {
      if (field.value.trim() === '') sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, field.value.trim());
      // The button's name ends with its keys.
      document.querySelector('[aria-label^="Re-fetch GraphQL schema"]')?.click();
    };
    field.value = sessionStorage.getItem(name) ?? '';
    field.addEventListener('change', keep);
    tabs.addEventListener('message', ({ data: { type, key } }) => {
      if (type === 'ask' && works !== null) tabs.postMessage({ type: 'key', key: works });
      if (type === 'key' && works === null && field.value.trim() !== key) {
        field.value = key;
        keep();
      }
      if (type === 'signOut') {
        works = null;
        field.value = '';
        keep();
      }
    });
    if (field.value === '') tabs.postMessage({ type: 'ask' });
    window.fetch = (input, init) => {
      const request = new Request(input, init);
      const key = field.value.trim();
      const isOurs = new URL(request.url).origin === location.origin;
      if (!isOurs || !/^[!-~]+$/.test(key) || request.headers.has('authorization')) return send(request);
      request.headers.set('authorization', 'Bearer ' + key);
      return send(request).then((response) => {
        if (key !== field.value.trim()) return response;
        if (response.status === 401) works = null;
        else if (response.ok && works !== key) tabs.postMessage({ type: 'key', key: (works = key) });
        return response;
      });
    };
  })();`;
