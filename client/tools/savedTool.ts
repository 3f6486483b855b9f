import { graphql } from '../gql/gql.ts';

export const SavedToolFragment = graphql(`
  fragment SavedTool on HandoffTool {
    id
    name
    description
    instructions
    generated
    enabled
    createdAt
    archivedAt
    targetAgent {
      id
      ...AgentChip
    }
    agents {
      id
      ...AgentChip
    }
    variables {
      name
      type
      required
      description
      enum
      default
    }
    approval
    carry {
      messages
      lastMessages
      toolCalls
      files
      tasks
      decisions
      variables
      maxTokens
    }
  }
`);

export const ToolQuery = graphql(`
  query Tool($id: ID!) {
    node(id: $id) {
      id
      ... on HandoffTool {
        ...SavedTool
      }
    }
  }
`);
