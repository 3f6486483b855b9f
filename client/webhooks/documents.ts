import { graphql } from '../gql/gql.ts';

export const WebhookFragment = graphql(`
  fragment WebhookCard on Webhook {
    id
    url
    description
    types
    enabled
    disabledAt
    disabledReason
    previousSecretUntil
    createdAt
  }
`);

export const WebhooksQuery = graphql(`
  query Webhooks {
    webhooks(first: 100) {
      nodes {
        id
        ...WebhookCard
      }
    }
  }
`);

export const DeliveriesQuery = graphql(`
  query Deliveries($webhookId: ID!, $after: String) {
    deliveries(webhookId: $webhookId, first: 10, after: $after) {
      nodes {
        id
        status
        attempts
        attemptedAt
        nextAttemptAt
        responseStatus
        error
        redeliveryOf
        createdAt
        event {
          id
          type
          session {
            id
            title
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const CreateWebhookMutation = graphql(`
  mutation CreateWebhook($input: CreateWebhookInput!) {
    createWebhook(input: $input) {
      __typename
      ... on CreateWebhookPayload {
        webhook {
          id
          ...WebhookCard
        }
        secret
      }
      ... on Error {
        message
      }
    }
  }
`);

export const UpdateWebhookMutation = graphql(`
  mutation UpdateWebhook($input: UpdateWebhookInput!) {
    updateWebhook(input: $input) {
      __typename
      ... on UpdateWebhookPayload {
        webhook {
          id
          ...WebhookCard
        }
        secret
      }
      ... on Error {
        message
      }
    }
  }
`);

export const DeleteWebhookMutation = graphql(`
  mutation DeleteWebhook($input: DeleteWebhookInput!) {
    deleteWebhook(input: $input) {
      __typename
      ... on DeleteWebhookPayload {
        webhook {
          id
        }
      }
      ... on Error {
        message
      }
    }
  }
`);

export const RedeliverMutation = graphql(`
  mutation Redeliver($input: RedeliverInput!) {
    redeliver(input: $input) {
      __typename
      ... on RedeliverPayload {
        delivery {
          id
        }
      }
      ... on Error {
        message
      }
    }
  }
`);
