import { Fragment, useEffect, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { useLocation, useSearch } from 'wouter';
import { useAccess, useMay } from '../access/viewer.ts';
import { Page } from '../app/Page.tsx';
import type { Columns } from '../density/density.ts';
import { ListSettings } from '../density/ListSettings.tsx';
import { graphql } from '../gql/gql.ts';
import { readFragment } from '../gql/index.ts';
import { useRereadOn } from '../live/events.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { ListTable, TableRows } from '../ui/ListTable.tsx';
import { SearchField } from '../ui/SearchField.tsx';
import { useLivePages } from '../ui/useLivePages.ts';
import { AgentRow, AgentRowFragment, type ListedAgent } from './AgentRow.tsx';
import styles from './AgentsPage.module.css';
import { arrange, groupKeys, readView, sortedBy, writeView, type SortKey, type View } from './fleet.ts';
import { usePresence } from './Presence.tsx';
import { RegisterAgent } from './register/RegisterAgent.tsx';

const AgentsQuery = graphql(`
  query Agents($after: String, $count: Boolean!, $tally: Boolean!) {
    agents(first: 100, after: $after, orderBy: { field: ID, direction: ASC }) {
      nodes {
        id
        ...AgentRow
        handoffsGiven(first: 0) @include(if: $tally) {
          totalCount
        }
        handoffsReceived(first: 0) @include(if: $tally) {
          totalCount
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount @include(if: $count)
    }
  }
`);

const TakenQuery = graphql(`
  query AgentsTaken($since: DateTime!) {
    waiting: handoffStats(groupBy: [AGENT], first: 1000, where: { status: [INITIATED] }) {
      agent {
        id
      }
      count
    }
    lately: handoffStats(groupBy: [AGENT], first: 1000, where: { initiatedAfter: $since }) {
      agent {
        id
      }
      acceptance
    }
  }
`);

const columns: readonly [name: string, sort: SortKey | null][] = [
  ['Agent', 'agent'],
  ['Type, role', 'kind'],
  ['Status', null],
  ['Last seen', 'seen'],
  ['Load', 'load'],
  ['Waiting', 'waiting'],
  ['Received', 'received'],
  ['Given', 'given'],
  ['Accepted', 'acceptance'],
];
const choice: Columns = {
  list: 'agents',
  names: ['Type, role', 'Last seen', 'Waiting', 'Received', 'Given', 'Accepted'],
};
const groupWords = { type: 'By type', role: 'By role' };
const latelyDays = 30;

/** All agents as a table. The URL holds what is searched, the order and the groups. */
export function AgentsPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const view = useMemo(() => readView(new URLSearchParams(search)), [search]);
  const change = (next: View) => navigate(writeView(next), { replace: true });
  return (
    <Page
      title="Agents"
      intro={`All agents with their loads. A handoff takes a place of its target when it starts, before the target accepts. Accepted: of the last ${latelyDays} days.`}
      actions={
        <>
          <ListSettings columns={choice} />
          <RegisterAgent />
        </>
      }
    >
      <div className={styles.filters}>
        <SearchField label="Search the agents" text={view.text} onText={(text) => change({ ...view, text })} />
        <label className={styles.group}>
          <span className="hidden">Groups</span>
          <select
            className="select"
            value={view.group ?? ''}
            onChange={({ target }) => change({ ...view, group: groupKeys.find((key) => key === target.value) ?? null })}
          >
            <option value="">No groups</option>
            {groupKeys.map((key) => (
              <option key={key} value={key}>
                {groupWords[key]}
              </option>
            ))}
          </select>
        </label>
        <label className={`${styles.group} ${styles.order}`}>
          <span className="hidden">Order</span>
          <select
            className="select"
            value={view.sort}
            onChange={({ target }) => change(sortedBy(view, columns.find(([, sort]) => sort === target.value)![1]!))}
          >
            {columns.map(([name, sort]) => sort && <option key={sort} value={sort}>{`Order: ${name}`}</option>)}
          </select>
        </label>
      </div>
      <AgentList view={view} onView={change} />
    </Page>
  );
}

function AgentList({ view, onView }: { view: View; onView: (view: View) => void }) {
  const { viewer } = useAccess();
  const mayManage = useMay('manageAgents');
  const { list, again, more, ...read } = useFleet();
  const rows = arrange(list?.nodes ?? [], view);
  const begins = new Map(rows.map(({ agent, begins }) => [agent.id, begins]));
  return (
    <ListTable
      label="Agents"
      columns={columns.map(([name, sort]) =>
        sort === null
          ? name
          : {
              name,
              sorted: view.sort !== sort ? undefined : view.descending ? 'descending' : 'ascending',
              onSort: () => onView(sortedBy(view, sort)),
            },
      )}
      className={styles.table}
      choice={choice}
    >
      <TableRows
        {...read}
        list={list && { ...list, nodes: rows.map(({ agent }) => agent) }}
        columns={columns.length}
        noun={['agent', 'agents']}
        skeletons={8}
        empty={
          list?.nodes.length === 0 ? (
            <EmptyState icon="bot" title="There are no agents yet.">
              Register one here, with the mutation <code>registerAgent</code>, or from Markdown files with{' '}
              <code>baton agents import</code>.
            </EmptyState>
          ) : (
            <EmptyState icon="search" title="No agent matches." />
          )
        }
        row={(agent) => {
          const group = begins.get(agent.id);
          return (
            <Fragment key={agent.id}>
              {group && (
                <tr>
                  <th scope="rowgroup" colSpan={columns.length}>
                    {group.name} <span className="soft">({group.count.toLocaleString()})</span>
                  </th>
                </tr>
              )}
              <AgentRow
                agent={agent}
                mayManage={mayManage}
                mayVisitInbox={viewer.role !== 'AGENT' || viewer.agentId === agent.id}
              />
            </Fragment>
          );
        }}
        onRetry={again}
        onMore={more}
      />
      {read.tallyError && (
        <tbody>
          <tr>
            <td colSpan={columns.length}>
              <RequestError error={read.tallyError} />
            </td>
          </tr>
        </tbody>
      )}
    </ListTable>
  );
}

/** All agents, page after page: a fleet is searched and sorted as a whole. */
function useFleet() {
  const { viewer } = useAccess();
  // An agent may not see what other agents gave and received.
  const tally = viewer.role !== 'AGENT';
  const { list, again, more, fetching, error } = useLivePages(AgentsQuery, { tally }, ({ agents }) => agents);
  const [since] = useState(() => new Date(Date.now() - latelyDays * 86_400_000).toISOString());
  const [{ data: taken, error: tallyError }, askTaken] = useQuery({
    query: TakenQuery,
    variables: { since },
    requestPolicy: 'cache-and-network',
    pause: !tally,
  });
  const hasMore = list?.pageInfo.hasNextPage === true && !fetching;
  useEffect(() => {
    if (hasMore) more();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `more` is another one at each render
  }, [hasMore]);
  // Events update the agents themselves. The counts must be read again, and so must the load of an agent that lost a session
  // without a handoff: no event carries it.
  useRereadOn(
    ({ type, handoff }) =>
      type === 'HANDOFF_INITIATED' || type === 'AGENT_CHANGED' || (type === 'SESSION_REASSIGNED' && handoff === null),
    again,
  );
  useRereadOn(
    ({ type }) => tally && type.startsWith('HANDOFF_'),
    () => askTaken({ requestPolicy: 'network-only' }),
  );
  const presence = usePresence(list?.nodes.map(({ id }) => id) ?? []);
  const waiting = countsOf(taken?.waiting);
  const lately = countsOf(taken?.lately);
  const nodes = list?.nodes.map((node): ListedAgent => {
    const agent = readFragment(AgentRowFragment, node);
    return {
      ...agent,
      given: node.handoffsGiven?.totalCount,
      received: node.handoffsReceived?.totalCount,
      waiting: taken && (waiting.get(agent.id)?.count ?? 0),
      acceptance: lately.get(agent.id)?.acceptance,
      seen: presence.get(agent.id),
    };
  });
  return { list: list && { ...list, nodes: nodes! }, again, more, fetching, error, tallyError };
}

const countsOf = <Stat extends { agent?: { id: string } | null }>(
  stats: readonly Stat[] | undefined,
): ReadonlyMap<string, Stat> => new Map(stats?.flatMap((stat) => (stat.agent ? [[stat.agent.id, stat] as const] : [])));
