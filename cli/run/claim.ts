import type { Api } from '../../client/api/request.ts';
import { claimTenure } from './desk.ts';

/** A claim lapses 30 s after it was renewed last. */
const renewMs = 8_000;
const lapseMs = 30_000;

/** The claim of a runner on one tenure. `lost` is aborted when another runner may have it. */
export class Claim {
  readonly #lost = new AbortController();
  #renewedAt = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  private constructor(
    private readonly ask: Api,
    private readonly input: { agentSessionId: string; runnerId: string },
  ) {}

  /** Null: another runner has the tenure, or it has ended. */
  static async take(ask: Api, input: { agentSessionId: string; runnerId: string }): Promise<Claim | null> {
    const claim = new Claim(ask, input);
    const asked = Date.now();
    if (!(await claimTenure(ask, input))) return null;
    claim.#renewedAt = asked;
    claim.#timer = setInterval(() => void claim.#renew(), renewMs);
    return claim;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async #renew(): Promise<void> {
    const asked = Date.now();
    // The time of asking: the answer may be late.
    if (asked - this.#renewedAt > lapseMs) return this.#lose();
    const isHeld = await claimTenure(this.ask, this.input).catch(() => null);
    if (isHeld === true) this.#renewedAt = asked;
    if (isHeld === false) this.#lose();
  }

  #lose(): void {
    clearInterval(this.#timer);
    this.#lost.abort(new Error('The claim of this runner has lapsed'));
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    if (!this.lost.aborted) await claimTenure(this.ask, { ...this.input, release: true }).catch(() => false);
  }
}
