import { lazy, Suspense } from 'react';
import { Route, Router, Switch } from 'wouter';
import { AccessGate } from './access/AccessGate.tsx';
import { AgentsPage } from './agents/AgentsPage.tsx';
import { NothingHere } from './app/NothingHere.tsx';
import { Page } from './app/Page.tsx';
import { Shell } from './app/Shell.tsx';
import { newPath } from './pipelines/definitions/places.ts';
import { SessionsPage } from './sessions/SessionsPage.tsx';
import { Clock } from './ui/Clock.tsx';
import { Skeleton } from './ui/Skeleton.tsx';
import { TooltipProvider } from './ui/Tooltip.tsx';
import { basePath } from './urql.ts';

// Not part of the first load: the list page does not need it.
const SessionPage = lazy(() => import('./sessions/SessionPage.tsx'));
const InboxPage = lazy(() => import('./inbox/InboxPage.tsx'));
const HandoffsPage = lazy(() => import('./handoffs/list/HandoffsPage.tsx'));
const HandoffPage = lazy(() => import('./handoffs/page/HandoffPage.tsx'));
const AgentPage = lazy(() => import('./agents/page/AgentPage.tsx'));
const ToolsPage = lazy(() => import('./tools/ToolsPage.tsx'));
const ToolPage = lazy(() => import('./tools/ToolPage.tsx'));
const NewToolPage = lazy(() => import('./tools/edit/NewToolPage.tsx'));
const EditToolPage = lazy(() => import('./tools/edit/EditToolPage.tsx'));
const QueuePage = lazy(() => import('./queue/QueuePage.tsx'));
const PipelinesPage = lazy(() => import('./pipelines/definitions/PipelinesPage.tsx'));
const PipelinePage = lazy(() => import('./pipelines/definitions/PipelinePage.tsx'));
const EditPipelinePage = lazy(() => import('./pipelines/edit/EditPipelinePage.tsx'));
const BoardPage = lazy(() => import('./pipelines/board/BoardPage.tsx'));
const WebhooksPage = lazy(() => import('./webhooks/WebhooksPage.tsx'));
const GraphPage = lazy(() => import('./graph/GraphPage.tsx'));

export function App() {
  return (
    <Router base={basePath}>
      <AccessGate>
        <Clock>
          <TooltipProvider>
            <Shell>
              <Suspense fallback={<Loading />}>
                <Switch>
                  <Route path="/" component={SessionsPage} />
                  <Route path="/sessions" component={SessionsPage} />
                  <Route path="/sessions/:id">{({ id }) => <SessionPage key={id} id={id} />}</Route>
                  <Route path="/agents" component={AgentsPage} />
                  <Route path="/agents/:id">{({ id }) => <AgentPage key={id} id={id} />}</Route>
                  <Route path="/inbox">
                    <InboxPage />
                  </Route>
                  <Route path="/inbox/:agentId">{({ agentId }) => <InboxPage key={agentId} agentId={agentId} />}</Route>
                  <Route path="/handoffs" component={HandoffsPage} />
                  <Route path="/handoffs/:id">{({ id }) => <HandoffPage key={id} id={id} />}</Route>
                  <Route path="/tools" component={ToolsPage} />
                  <Route path="/tools/new">
                    <NewToolPage />
                  </Route>
                  <Route path="/tools/:id">{({ id }) => <ToolPage key={id} id={id} />}</Route>
                  <Route path="/tools/:id/edit">{({ id }) => <EditToolPage key={id} id={id} />}</Route>
                  <Route path="/queue" component={QueuePage} />
                  <Route path="/pipelines" component={PipelinesPage} />
                  <Route path={newPath}>
                    <EditPipelinePage slug={null} />
                  </Route>
                  <Route path="/pipelines/:slug/edit">{({ slug }) => <EditPipelinePage key={slug} slug={slug} />}</Route>
                  <Route path="/pipelines/:slug">{({ slug }) => <PipelinePage key={slug} slug={slug} />}</Route>
                  <Route path="/pipelines/:slug/board">{({ slug }) => <BoardPage slug={slug} />}</Route>
                  <Route path="/graph" component={GraphPage} />
                  <Route path="/webhooks" component={WebhooksPage} />
                  <Route>
                    <NothingHere />
                  </Route>
                </Switch>
              </Suspense>
            </Shell>
          </TooltipProvider>
        </Clock>
      </AccessGate>
    </Router>
  );
}

function Loading() {
  return (
    <Page title="Loading">
      <Skeleton height="12rem" />
    </Page>
  );
}
