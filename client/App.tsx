import { useEffect } from 'react';
import { matchRoute, Redirect, Route, Router, Switch, useRouter, useSearch } from 'wouter';
import { AccessGate } from './access/AccessGate.tsx';
import { AgentsPage } from './agents/AgentsPage.tsx';
import { later, type Later } from './app/later.tsx';
import { NothingHere } from './app/NothingHere.tsx';
import { Page } from './app/Page.tsx';
import { Shell } from './app/Shell.tsx';
import { SessionsPage } from './sessions/SessionsPage.tsx';
import { Clock } from './ui/Clock.tsx';
import { Skeleton } from './ui/Skeleton.tsx';
import { TooltipProvider } from './ui/Tooltip.tsx';
import { basePath } from './urql.ts';
import type { PagePath } from '../server/infra/http/pages.ts';

// Not part of the first load: the list page does not need it.
const AttentionPage = later(() => import('./attention/AttentionPage.tsx'), Loading);
const SessionPage = later(() => import('./sessions/SessionPage.tsx'), Loading);
const InboxPage = later(() => import('./inbox/InboxPage.tsx'), Loading);
const HandoffsPage = later(() => import('./handoffs/list/HandoffsPage.tsx'), Loading);
const HandoffPage = later(() => import('./handoffs/page/HandoffPage.tsx'), Loading);
const AgentPage = later(() => import('./agents/page/AgentPage.tsx'), Loading);
const ToolsPage = later(() => import('./tools/ToolsPage.tsx'), Loading);
const ToolPage = later(() => import('./tools/ToolPage.tsx'), Loading);
const NewToolPage = later(() => import('./tools/edit/NewToolPage.tsx'), Loading);
const EditToolPage = later(() => import('./tools/edit/EditToolPage.tsx'), Loading);
const DecidePage = later(() => import('./approvals/DecidePage.tsx'), Loading);
const QueuePage = later(() => import('./queue/QueuePage.tsx'), Loading);
const PipelinesPage = later(() => import('./pipelines/definitions/PipelinesPage.tsx'), Loading);
const PipelinePage = later(() => import('./pipelines/definitions/PipelinePage.tsx'), Loading);
const EditPipelinePage = later(() => import('./pipelines/edit/EditPipelinePage.tsx'), Loading);
const BoardPage = later(() => import('./pipelines/board/BoardPage.tsx'), Loading);
const WebhooksPage = later(() => import('./webhooks/WebhooksPage.tsx'), Loading);
const GraphPage = later(() => import('./graph/GraphPage.tsx'), Loading);

/** The parts of a path: each page has those of its own as properties. */
interface Parts {
  id: string;
  agentId: string;
  slug: string;
  sessionId: string;
}

/** Before this page was the first one, filters of the sessions were at its address. */
const First: Later<object> = Object.assign(
  () => {
    const search = useSearch();
    return search === '' ? <AttentionPage /> : <Redirect to={`/sessions?${search}`} replace />;
  },
  { preload: () => AttentionPage.preload() },
);

/** The pages that are loaded later, by the paths that show them. The first that matches is shown. */
const pages: Record<Exclude<PagePath, '/sessions' | '/agents'>, Later<Parts>> = {
  '/': First,
  '/attention': AttentionPage,
  '/sessions/:id': SessionPage,
  '/agents/:id': AgentPage,
  '/inbox': InboxPage,
  '/inbox/:agentId': InboxPage,
  '/handoffs': HandoffsPage,
  '/handoffs/:id': HandoffPage,
  '/tools': ToolsPage,
  '/tools/new': NewToolPage,
  '/tools/:id': ToolPage,
  '/tools/:id/edit': EditToolPage,
  '/decide': DecidePage,
  '/decide/:sessionId': DecidePage,
  '/queue': QueuePage,
  '/pipelines': PipelinesPage,
  '/pipelines/_new': EditPipelinePage,
  '/pipelines/:slug/edit': EditPipelinePage,
  '/pipelines/:slug': PipelinePage,
  '/pipelines/:slug/board': BoardPage,
  '/graph': GraphPage,
  '/webhooks': WebhooksPage,
};

export function App() {
  return (
    <Router base={basePath}>
      <Preload />
      <AccessGate>
        <Clock>
          <TooltipProvider>
            <Shell>
              <Switch>
                <Route path="/sessions" component={SessionsPage} />
                <Route path="/agents" component={AgentsPage} />
                {Object.entries(pages).map(([path, Page]) => (
                  <Route key={path} path={path}>
                    {(parts) => <Page key={Object.values(parts).join()} {...(parts as unknown as Parts)} />}
                  </Route>
                ))}
                <Route>
                  <NothingHere />
                </Route>
              </Switch>
            </Shell>
          </TooltipProvider>
        </Clock>
      </AccessGate>
    </Router>
  );
}

/** Loads the code of the page that opens while the caller is still being read, and of the page to which a link under the pointer or focus leads. */
function Preload() {
  const { parser } = useRouter();
  useEffect(() => {
    const load = (path: string): void =>
      Object.entries(pages)
        .find(([pattern]) => matchRoute(parser, pattern, path.slice(basePath.length))[0])?.[1]
        .preload();
    const near = ({ target }: Event): void => {
      const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null;
      if (link?.origin === location.origin) load(link.pathname);
    };
    load(location.pathname);
    document.addEventListener('pointerover', near);
    document.addEventListener('focusin', near);
    return () => {
      document.removeEventListener('pointerover', near);
      document.removeEventListener('focusin', near);
    };
  }, [parser]);
  return null;
}

function Loading() {
  return (
    <Page title="Loading">
      <Skeleton height="12rem" />
    </Page>
  );
}
