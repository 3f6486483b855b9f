/** A place in a log, as the fragment of an address names it. */
export interface LogPlace {
  /** Number of the message. */
  message: number;
  /** Number of the tool call after it; null for the message itself. */
  call: number | null;
}

/** A place that the reader asked for. */
export interface Target extends LogPlace {
  /** Grows with each request. */
  asked: number;
  /** Whether the focus goes there. Not while the reader steps from one place to the next. */
  takesFocus: boolean;
}

const shape = /^#message-([1-9]\d{0,9})(?:-call-([1-9]\d{0,9}))?$/;

/** The place of "#message-42" or "#message-42-call-3"; null for any other fragment. */
export function placeOf(hash: string): LogPlace | null {
  const [, message, call] = shape.exec(hash) ?? [];
  if (message === undefined) return null;
  return { message: Number(message), call: call === undefined ? null : Number(call) };
}

export const hashOf = ({ message, call }: LogPlace): string =>
  `#message-${message}${call === null ? '' : `-call-${call}`}`;

/** The id of an element with this place. */
export const elementOf = (place: LogPlace): string => hashOf(place).slice(1);
