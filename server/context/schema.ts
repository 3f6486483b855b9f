import { builder } from '../graphql/builder.ts';
import type { Item, Prompt } from './render.ts';

builder.objectType('ContextVariable', {
  description: 'A named value that the Agents of a Session share.',
  fields: (t) => ({
    name: t.exposeString('name', { description: "Its name; those that begin with `_` are Baton's own." }),
    value: t.expose('value', { type: 'JSON', nullable: true, description: 'Any JSON value, null too.' }),
    setBy: t.exposeString('setBy', { description: 'Who set it last: an Agent, or the principal of another caller.' }),
  }),
});

export const ContextItemKind = builder.enumType('ContextItemKind', {
  description: 'What an item of a Context is.',
  values: {
    INSTRUCTIONS: { description: "The target Agent's instructions." },
    SUMMARY: { description: 'What was done so far.' },
    TASK: { description: 'A task that is not done.' },
    DECISION: { description: 'Something that was settled.' },
    VARIABLE: { description: 'A context variable.' },
    FILE: { description: 'A file that was changed.' },
    TOOL: { description: 'How a tool was used.' },
    MESSAGE: { description: 'One of the last Messages.' },
  },
});

const DropReason = builder.enumType('ContextDropReason', {
  description: 'Why an item of a Context is not in a prompt.',
  values: { BUDGET: { description: 'It did not fit.' } },
});

const itemId = 'Its id, the same in every prompt of the same Handoff: for `contextItem`.';

const KeptItem = builder.objectRef<Item>('KeptContextItem').implement({
  description: 'An item of a Context that a prompt holds, shortened where it had to be.',
  fields: (t) => ({
    id: t.exposeID('id', { description: itemId }),
    kind: t.expose('kind', { type: ContextItemKind, description: 'What it is.' }),
  }),
});

const DroppedItem = builder.objectRef<Prompt['dropped'][number]>('DroppedContextItem').implement({
  description: 'An item of a Context that a prompt leaves out.',
  fields: (t) => ({
    id: t.exposeID('id', { description: itemId }),
    kind: t.expose('kind', { type: ContextItemKind, description: 'What it is.' }),
    reason: t.expose('reason', { type: DropReason, description: 'Why it is left out.' }),
  }),
});

const PromptFields = builder.interfaceRef<Prompt>('ContextText').implement({
  description: 'A Context as a text for the next Agent, cut to a budget.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'The text, Markdown. When something is left out, it says so.' }),
    tokenEstimate: t.exposeInt('tokenEstimate', { description: 'Its estimated tokens (bytes / 4), not a count.' }),
    kept: t.field({ type: [KeptItem], description: 'What is in it, what matters most first.', resolve: ({ kept }) => kept }),
    dropped: t.field({ type: [DroppedItem], description: 'What is left out; empty when everything fits.', resolve: ({ dropped }) => dropped }),
  }),
});

export const ContextPrompt = builder.objectRef<Prompt>('ContextPrompt').implement({
  description: 'What a Handoff carries, as a text for the next Agent.',
  interfaces: [PromptFields],
});

export const ContextPreview = builder.objectRef<Prompt & { redactionCount: number }>('ContextPreview').implement({
  description: 'What a Handoff would carry if it were started now, as a text for the next Agent.',
  interfaces: [PromptFields],
  fields: (t) => ({
    redactionCount: t.exposeInt('redactionCount', { description: 'How many secrets were taken out of it.' }),
  }),
});

export const ContextItem = builder.objectRef<Item>('ContextItem').implement({
  description: 'One item of what a Handoff carries, whole.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ContextItemKind, description: 'What it is.' }),
    content: t.exposeString('content', { description: 'The whole item, however much of it a prompt holds.' }),
  }),
});
