import { mutation, type Desk } from './ask.ts';
import { answer } from './result.ts';
import { sessionMeant } from './session.ts';

/** Asking a person: baton_ask. */

const document = mutation('askPerson', 'questionId session { id }');

export interface Question {
  question: string;
  options?: string[] | undefined;
  session?: string | undefined;
}

export async function ask(desk: Desk, { question, options, session }: Question) {
  const sessionId = await sessionMeant(desk, session);
  const { questionId } = await desk.mutate<{ questionId: string }>(document, {
    sessionId,
    question,
    options: options?.length === 0 ? null : options,
  });
  return answer(
    'A person was asked, and the session is paused until the answer comes. End your turn: you are told the answer before your next prompt or in the answer to your next call, and it is in the log.',
    { session: sessionId, question: questionId },
  );
}
