/**
 * The addresses of the dashboard's pages: the client has a page for each, and the server answers each with the dashboard.
 * `:name` stands for one part without a dot: downloads have an extension.
 */
export const pagePaths = [
  '/',
  '/attention',
  '/sessions',
  '/sessions/:id',
  '/agents',
  '/agents/:id',
  '/inbox',
  '/inbox/:agentId',
  '/handoffs',
  '/handoffs/:id',
  '/tools',
  '/tools/new',
  '/tools/:id',
  '/tools/:id/edit',
  '/decide',
  '/decide/:sessionId',
  '/queue',
  '/pipelines',
  // No slug begins with `_`.
  '/pipelines/_new',
  '/pipelines/:slug',
  '/pipelines/:slug/edit',
  '/pipelines/:slug/board',
  '/graph',
  '/webhooks',
] as const;

export type PagePath = (typeof pagePaths)[number];

const pages = new RegExp(`^(?:${pagePaths.map((path) => path.replaceAll(/:\w+/g, '[^/.]+')).join('|')})$`);

/** Whether a page of the dashboard is at this path. */
export const isPage = (path: string): boolean => pages.test(path);
