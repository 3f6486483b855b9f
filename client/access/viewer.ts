import { createContext, useContext } from 'react';
import { graphql } from '../gql/gql.ts';
import { may, type Act, type Viewer } from './may.ts';

export const ViewerQuery = graphql(`
  query Viewer {
    viewer {
      role
      agent {
        id
      }
      key {
        id
        name
      }
    }
  }
`);

export interface Access {
  viewer: Viewer;
  /** For downloads and streams; null on a server without keys. */
  key: string | null;
  signOut: () => void;
}

export const AccessContext = createContext<Access | null>(null);

export function useAccess(): Access {
  const access = useContext(AccessContext);
  if (access === null) throw new Error('useAccess is for what stands inside of AccessGate');
  return access;
}

/** Whether the viewer is shown this action on a record of this agent. */
export function useMay(act: Act, ownerId?: string | null): boolean {
  return may(useAccess().viewer, act, ownerId);
}
