/** An error that an operator must fix before Baton can start. The message says what to do. */
export class StartError extends Error {
  override name = 'StartError';
}
