import { useEffect, useEffectEvent, useRef } from 'react';
import { useLocation } from 'wouter';
import { usePlaces } from '../app/usePlaces.ts';
import { isTyping } from '../ui/typing.ts';

/** The rows of lists, not those that only say how a list ends. */
const rowOf =
  'main tbody > tr:not([hidden], :has(> td[colspan])), main [data-session]:not(tr *), main [data-handoff-id]:not(tr *)';
const waitMs = 1_500;

/**
 * The quick keys of all pages: they press what stands on the page, so each does what its link or button does. A button says its key by
 * `aria-keyshortcuts`. Not while one types or a dialog is open; a page's own keys come first.
 */
export default function QuickKeys({ onNoSearch }: { onNoSearch: () => void }): null {
  const [, navigate] = useLocation();
  const places = usePlaces();
  /** When `g` was pressed. */
  const going = useRef(-Infinity);
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const { key } = event;
    const isGoing = performance.now() - going.current < waitMs;
    going.current = -Infinity;
    if (isGoing) {
      const place = places.find((each) => each.key === key);
      if (place === undefined) return;
      event.preventDefault();
      navigate(place.href);
    } else if (key === 'g') going.current = performance.now();
    else if (key === 'j' || key === 'k') {
      event.preventDefault();
      step(key === 'j' ? 1 : -1);
    } else if (!event.repeat && (key === 'o' || key === 'a' || key === 'r')) {
      const found = key === 'o' ? mainOf(currentRow()) : buttonOf(key);
      if (found === null) return;
      event.preventDefault();
      found.click();
    } else if (key === '/') {
      event.preventDefault();
      const field = visible('main [aria-keyshortcuts="/"]')[0];
      if (field) field.focus();
      else onNoSearch();
    }
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  return null;
}

const visible = (selector: string, within: ParentNode = document): HTMLElement[] =>
  [...within.querySelectorAll<HTMLElement>(selector)].filter((each) => each.checkVisibility());

const currentRow = (): HTMLElement | null => document.activeElement?.closest<HTMLElement>(rowOf) ?? null;

/** What a row leads to. */
const mainOf = (row: HTMLElement | null): HTMLElement | null => row?.querySelector<HTMLElement>('a[href]') ?? null;

/** The button of the row that has the focus, else one that belongs to no row. */
function buttonOf(key: string): HTMLElement | null {
  const row = currentRow();
  const buttons = visible(`button[aria-keyshortcuts="${key}"]`, row ?? document.getElementById('main') ?? document);
  return buttons.find((button) => row !== null || button.closest(rowOf) === null) ?? null;
}

/** Gives the focus to the next row, or the one before; to the first without one. */
function step(by: 1 | -1): void {
  const rows = visible(rowOf).filter((row) => mainOf(row) !== null);
  const row = currentRow();
  const next = row === null ? rows[0] : rows[rows.indexOf(row) + by];
  if (next) mainOf(next)?.focus();
}
