import { graphql } from 'relay-runtime';

graphql`
  query documentsSessionsQuery($count: Int!) {
    ...documents_sessions @arguments(count: $count)
  }
`;

graphql`
  fragment documents_sessions on Query
  @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" })
  @refetchable(queryName: "documentsNextSessionsQuery") {
    sessions(first: $count, after: $cursor) @connection(key: "documents_sessions") {
      edges {
        node {
          id
          title
          ...documents_session
        }
      }
    }
  }
`;

graphql`
  fragment documents_session on Session @refetchable(queryName: "documentsSessionQuery") {
    version
    agent {
      id
    }
  }
`;

graphql`
  mutation documentsReassignMutation($input: ReassignSessionInput!) {
    reassignSession(input: $input) {
      __typename
      ... on ReassignSessionPayload {
        session {
          ...documents_session
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`;

graphql`
  subscription documentsEventsSubscription {
    handoffEvents {
      type
      session {
        ...documents_session
      }
    }
  }
`;
