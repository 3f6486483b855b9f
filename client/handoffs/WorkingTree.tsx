import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { Fold } from '../ui/Fold.tsx';
import { Time } from '../ui/Time.tsx';

export const WorkingTreeFragment = graphql(`
  fragment WorkingTreeShown on WorkingTree {
    branch
    commit
    status
    diffstat
    takenAt
    agentId
  }
`);

/** What git said of the files of the work, with when it was recorded. */
export function WorkingTree({ tree: masked }: { tree: FragmentType<typeof WorkingTreeFragment> }) {
  const { branch, commit, status, diffstat, takenAt, agentId } = readFragment(WorkingTreeFragment, masked);
  return (
    <>
      <p className="soft small">
        Recorded <Time at={takenAt} />
        {agentId != null && ` of ${agentId}`}
        {branch != null && `, branch ${branch}`}
        {commit != null && `, commit ${commit.slice(0, 12)}`}
      </p>
      {status === '' ? <p>Nothing is changed since the commit.</p> : <Fold text={status} mono lines={12} />}
      {diffstat !== '' && <Fold text={diffstat} mono lines={6} />}
    </>
  );
}
