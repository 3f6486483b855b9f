/** What an operator has to put right before Baton can start: one line that says what to do. */
export class StartError extends Error {
  override name = 'StartError';
}
