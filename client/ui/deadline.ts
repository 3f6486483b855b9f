import type { Look } from './Badge.tsx';

const soonMs = 15 * 60_000;
const urgentMs = 5 * 60_000;

const distantMs = 14 * 24 * 60 * 60_000;

/** Two weeks or more away: nobody acts on it yet. */
export const isDistant = (at: string, now: number): boolean => new Date(at).getTime() - now >= distantMs;

export type Nearness = 'far' | 'soon' | 'urgent' | 'passed';

function nearness(at: string, now: number): Nearness {
  const left = new Date(at).getTime() - now;
  if (left <= 0) return 'passed';
  if (left <= urgentMs) return 'urgent';
  return left <= soonMs ? 'soon' : 'far';
}

const looks: Record<Nearness, Look> = {
  far: { tone: 'calm', icon: 'hourglass', word: 'deadline' },
  soon: { tone: 'wait', icon: 'hourglass', word: 'deadline soon:' },
  urgent: { tone: 'bad', icon: 'alert', word: 'deadline very soon:' },
  passed: { tone: 'bad', icon: 'alert', word: 'deadline passed' },
};

/** A deadline as colour, icon and words; the time follows the words. */
export const deadlineLook = (at: string, now: number): Look & { near: Nearness } => {
  const near = nearness(at, now);
  return { ...looks[near], near };
};

/** "Waiting, 4 min left" near the deadline; null before. */
export function leftText(at: string, now: number): string | null {
  const near = nearness(at, now);
  if (near === 'far') return null;
  if (near === 'passed') return 'past its deadline';
  const minutes = Math.floor((new Date(at).getTime() - now) / 60_000);
  return minutes < 1 ? 'under 1 min left' : `${minutes} min left`;
}
