import { postgresProxy } from './postgresProxy.ts';
import { readFrontend } from './wire.ts';

export interface Cutter {
  /** The URL to connect to. */
  url: string;
  /** Cuts the connection of the nth request from now, once: before PostgreSQL receives it, or after it has answered and before the answer arrives. */
  cut(nth: number, when: 'before' | 'after'): void;
  /** The number of cuts so far. */
  cuts(): number;
}

/** A proxy between `pg` and PostgreSQL that cuts connections. */
export async function cutter(url: string): Promise<Cutter> {
  let plan: { left: number; when: 'before' | 'after' } | undefined;
  let cuts = 0;
  const address = await postgresProxy(url, () => {
    let due: 'before' | 'after' | undefined;
    const read = readFrontend((_statements, asks) => {
      if (plan === undefined || asks === 0) return;
      plan.left -= 1;
      if (plan.left > 0) return;
      due = plan.when;
      plan = undefined;
    });
    const passUnless = (when: 'before' | 'after', pass: () => void, cut: () => void): void => {
      if (due !== when) return pass();
      cuts += 1;
      cut();
    };
    return {
      asked(chunk, pass, cut) {
        read(chunk);
        passUnless('before', pass, cut);
      },
      answered: (_chunk, pass, cut) => passUnless('after', pass, cut),
    };
  });
  return {
    url: address,
    cut(nth, when) {
      plan = { left: nth, when };
    },
    cuts: () => cuts,
  };
}
