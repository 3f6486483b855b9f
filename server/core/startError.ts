/** An error that an operator must fix before Baton can start. The message says what to do. */
export class StartError extends Error {
  override name = 'StartError';
}

/** PostgreSQL or Baton does not answer or is busy: the same command can succeed later. */
export class AwayError extends StartError {
  override name = 'AwayError';
}
