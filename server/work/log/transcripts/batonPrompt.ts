/** Begins the prompt that `baton watch` gives a command. In a transcript, that prompt is not a person's message. */
export const batonPrompt = (agent: string, session: string, handoff: string): string =>
  `You are agent ${agent} of Baton. You took session ${session} over by handoff ${handoff}.`;

const sentence = String.raw`You are agent [a-z0-9_-]+ of Baton\. You took session (session_\w+) over by handoff (handoff_\w+)\.`;
const atStart = new RegExp(`^${sentence}`);
const first = new RegExp(sentence);

export const isBatonPrompt = (text: string): boolean => atStart.test(text);

/** The handoff of a text that is such a prompt; null for others. */
export const promptedBy = (text: string): string | null => atStart.exec(text)?.[2] ?? null;

/** The handoff of the first such prompt in a text; later ones may be quoted in it. */
export const handoffOfPrompt = (text: string): string | null => first.exec(text)?.[2] ?? null;
