const dayMs = 86_400_000;

export interface TimeRange {
  /** Exclusive, both. Null: open. */
  after: Date | null;
  before: Date | null;
}

export interface Days {
  /** The whole days (UTC) of the range, `until` exclusive; null for a range without a whole day. A null bound is open. */
  whole: { from: Date | null; until: Date | null } | null;
  /** The rest of the range: `from` inclusive or exclusive, `until` exclusive. */
  rest: { from: Date; includesFrom: boolean; until: Date }[];
}

/** Cuts a range into whole days, which are counted, and the parts of days at its ends. */
export function cutIntoDays({ after, before }: TimeRange): Days {
  const from = after && new Date((Math.floor(after.getTime() / dayMs) + 1) * dayMs);
  const until = before && new Date(Math.floor(before.getTime() / dayMs) * dayMs);
  if (after !== null && before !== null && from! >= until!)
    return { whole: null, rest: after < before ? [{ from: after, includesFrom: false, until: before }] : [] };
  return {
    whole: { from, until },
    rest: [
      ...(after === null ? [] : [{ from: after, includesFrom: false, until: from! }]),
      ...(before === null || until! >= before ? [] : [{ from: until!, includesFrom: true, until: before }]),
    ],
  };
}
