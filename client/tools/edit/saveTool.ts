import { graphql } from '../../gql/gql.ts';

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
      ... on BadUserInputError {
        path
      }
      ... on NotFoundError {
        id
      }
      ... on Error {
        message
      }
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
      ... on BadUserInputError {
        path
      }
      ... on NotFoundError {
        id
      }
      ... on Error {
        message
      }
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
      ... on Error {
        message
      }
    }
  }
`);
