import { Link, useLocation, useSearch } from 'wouter';
import { useMay } from '../../access/viewer.ts';
import { Page } from '../../app/Page.tsx';
import type { Columns } from '../../density/density.ts';
import { ListSettings } from '../../density/ListSettings.tsx';
import { graphql } from '../../gql/gql.ts';
import type { PipelinesQuery as Data } from '../../gql/graphql.ts';
import { Badge } from '../../ui/Badge.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ListTable, TableRows } from '../../ui/ListTable.tsx';
import { Time } from '../../ui/Time.tsx';
import { useLivePages } from '../../ui/useLivePages.ts';
import styles from './PipelinesPage.module.css';
import { archivedLook } from './places.ts';
import { ShippedPipeline } from './ShippedPipeline.tsx';

const PipelinesQuery = graphql(`
  query Pipelines($where: PipelineFilter!, $after: String, $count: Boolean!) {
    pipelines(where: $where, first: 25, after: $after) {
      nodes {
        id
        slug
        version
        name
        description
        stages {
          name
        }
        createdAt
        archivedAt
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount @include(if: $count)
    }
  }
`);

/** The newest version of each pipeline. The URL holds the filter. */
export default function PipelinesPage() {
  const archived = new URLSearchParams(useSearch()).get('archived') === '1';
  const [, navigate] = useLocation();
  const mayDefine = useMay('manageAgents');
  return (
    <Page
      title="Pipelines"
      intro="Definitions of which stage of the work follows which."
      actions={
        <>
          <ListSettings columns={choice} />
          {mayDefine && (
            <Link href="/pipelines/_new" className="button primary">
              <Icon name="pipeline" /> New pipeline
            </Link>
          )}
        </>
      }
    >
      <label className={styles.archived}>
        <input
          type="checkbox"
          checked={archived}
          onChange={({ target }) =>
            navigate(target.checked ? '/pipelines?archived=1' : '/pipelines', { replace: true })
          }
        />{' '}
        With archived ones
      </label>
      <List key={String(archived)} archived={archived} />
    </Page>
  );
}

const choice: Columns = { list: 'pipelines', names: ['Stages', 'Version', 'Defined'] };
const columns = ['Pipeline', 'Stages', 'Version', 'Defined', { hidden: 'Board' }];

// No event tells of a definition: the list is read when the page opens.
function List({ archived }: { archived: boolean }) {
  const mayDefine = useMay('manageAgents');
  const where = { includeArchived: archived };
  const { again, more, ...read } = useLivePages(PipelinesQuery, { where }, ({ pipelines }) => pipelines);
  return (
    <ListTable label="Pipelines" columns={columns} className={styles.table} choice={choice}>
      <TableRows
        {...read}
        columns={columns.length}
        noun={['pipeline', 'pipelines']}
        skeletons={4}
        empty={
          <EmptyState icon="pipeline" title={archived ? 'There are no pipelines yet.' : 'No pipeline is in use.'}>
            <p>
              A pipeline appears here when an operator defines it, here or with the mutation <code>definePipeline</code>
              . One ships with Baton: a story from the request to its documentation, with six agents.
            </p>
            {mayDefine ? <ShippedPipeline /> : <code>baton pipelines import story</code>}
          </EmptyState>
        }
        row={(pipeline) => <Row key={pipeline.id} pipeline={pipeline} />}
        onRetry={again}
        onMore={more}
      />
    </ListTable>
  );
}

function Row({
  pipeline: { slug, version, name, description, stages, createdAt, archivedAt },
}: {
  pipeline: Data['pipelines']['nodes'][number];
}) {
  return (
    <tr>
      <td>
        <Link href={`/pipelines/${slug}`} className={styles.name}>
          {name}
        </Link>{' '}
        <span className="mono soft small">{slug}</span>
        {description != null && (
          <p className={`soft small ${styles.description}`} title={description}>
            {description}
          </p>
        )}
      </td>
      <td className="small">
        {stages.length}: <span className="soft">{stages.map((stage) => stage.name).join(', ')}</span>
      </td>
      <td>
        <span className={styles.version}>
          {version}
          {archivedAt != null && <Badge {...archivedLook} />}
        </span>
      </td>
      <td>
        <Time at={createdAt} />
      </td>
      <td>
        <Link href={`/pipelines/${slug}/board`} className="button small" aria-label={`Board of ${name}`}>
          Board
        </Link>
      </td>
    </tr>
  );
}
