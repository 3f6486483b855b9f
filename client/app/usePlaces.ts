import { may } from '../access/may.ts';
import { useAccess } from '../access/viewer.ts';
import { places } from './places.ts';

/** The pages that the viewer is offered. */
export function usePlaces(): typeof places {
  const { viewer } = useAccess();
  return places.filter(({ act }) => act === undefined || may(viewer, act));
}
