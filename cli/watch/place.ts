import { isSameRepository } from '../../server/core/workspace.ts';
import { quote } from '../hook/briefing.ts';
import type { Workspace } from '../hook/work.ts';

/** Where the work of a handoff was done; null when nobody said. */
export interface WorkPlace {
  id: string | null;
  host: string | null;
  folder: string | null;
  repository: string | null;
  branch: string | null;
  commit: string | null;
}

export const workPlaceFields = 'workspace { id host folder repository branch commit }';

/** Work that is taken besides that of the own folder. */
export interface Also {
  /** Of which nobody said where it is done. */
  any: boolean;
  /** Of other clones and worktrees of the same repository. */
  clones: boolean;
}

/** Why a process in `here` does not take work, and what to do; null: it takes it. */
export function refusalOf(here: Workspace, place: WorkPlace | null, also: Also): string | null {
  if (place === null || place.id === null)
    return also.any ? null : 'nobody said in which folder its work is done: start with --any to do it here';
  if (place.id === here.id) return null;
  const isClone = isSameRepository(place.repository, here.repository);
  if (isClone && also.clones) return null;
  const elsewhere = `its work is done in ${place.folder} on ${place.host}: start baton watch there`;
  return isClone ? `${elsewhere}, or with --clones to do it in this clone` : elsewhere;
}

/** What the command is told when the work was done in another folder, or on another state of this one; empty: nothing. */
export function differenceOf(here: Workspace, place: WorkPlace | null): string {
  if (place === null) return '';
  const parts = [
    place.id === here.id
      ? ''
      : `Until now it was done in ${shown(place.folder)} on ${shown(place.host)}, and you work in another clone: ${shown(here.folder)} on ${shown(here.host)}. Changes there that were not pushed are not here.`,
    differs(place.branch, here.branch) ? `Its branch was ${shown(place.branch)}, yours is ${shown(here.branch)}.` : '',
    differs(place.commit, here.commit) && !isPrefix(place.commit!, here.commit!)
      ? `Its last recorded commit was ${shown(place.commit)}, yours is ${shown(here.commit)}.`
      : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` ${parts.join(' ')} Look first whether you have its state.`;
}

/** Recorded by others. */
const shown = (text: string | null): string => quote(text ?? '');
const differs = (one: string | null, other: string | null): boolean => one !== null && other !== null && one !== other;
/** Commits are named in full or shortened. */
const isPrefix = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);
