import { graphql } from '../../gql/gql.ts';

export const ToolRefusalFragment = graphql(`
  fragment ToolRefusal on Error {
    __typename
    message
    ... on BadUserInputError {
      path
    }
    ... on NotFoundError {
      id
    }
  }
`);

export const CreateToolMutation = graphql(`
  mutation CreateTool($input: CreateHandoffToolInput!) {
    createHandoffTool(input: $input) {
      __typename
      ... on CreateHandoffToolPayload {
        handoffTool {
          id
          ...SavedTool
        }
      }
      ...ToolRefusal
    }
  }
`);

export const UpdateToolMutation = graphql(`
  mutation UpdateTool($input: UpdateHandoffToolInput!) {
    updateHandoffTool(input: $input) {
      __typename
      ... on UpdateHandoffToolPayload {
        handoffTool {
          id
          ...SavedTool
        }
      }
      ...ToolRefusal
    }
  }
`);

export const ArchiveToolMutation = graphql(`
  mutation ArchiveTool($input: ArchiveHandoffToolInput!) {
    archiveHandoffTool(input: $input) {
      __typename
      ... on ArchiveHandoffToolPayload {
        handoffTool {
          id
          ...SavedTool
        }
      }
      ...ToolRefusal
    }
  }
`);
