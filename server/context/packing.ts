import type { Stage } from './items.ts';
import { opening, type Piece, type Section } from './sections.ts';
import { longest } from './shorten.ts';

/** A text is limited in two ways at once. */
export interface Size {
  characters: number;
  bytes: number;
}

export const sizeOf = (text: string): Size => ({ characters: text.length, bytes: Buffer.byteLength(text) });
export const fitsIn = (size: Size, room: Size): boolean => size.characters <= room.characters && size.bytes <= room.bytes;
const plus = (a: Size, b: Size): Size => ({ characters: a.characters + b.characters, bytes: a.bytes + b.bytes });
const minus = (a: Size, b: Size): Size => ({ characters: a.characters - b.characters, bytes: a.bytes - b.bytes });

export interface Chosen {
  piece: Piece;
  form: string;
}

/** How many characters an item gets: `least` to be in at all, `first` before other items are in. */
interface Appetite {
  least: number;
  first: number;
  /** The share of the whole room, once all head items are in. */
  share: number;
}

// The cut of the request comes with a mark, one character, after the 200 that are promised.
const heads: Record<string, Appetite> = {
  'request-1': { least: 201, first: 201, share: 0.18 },
  'compaction-1': { least: 60, first: 120, share: 0.2 },
  'last-message-1': { least: 4, first: 100, share: 0.2 },
  'last-message-2': { least: 60, first: 120, share: 0.2 },
  'request-2': { least: 60, first: 100, share: 0.1 },
  'reason-1': { least: 40, first: 80, share: 0.06 },
  'workspace-1': { least: 40, first: 200, share: 0.06 },
  'summary-1': { least: 60, first: 120, share: 0.12 },
  'instructions-1': { least: 40, first: 80, share: 0.06 },
};
const headOfList: Appetite = { least: 40, first: 90, share: 0.08 };
const largestShare = 0.35;
/** For metadata, before messages of users are in. */
const shareOfMetadata = 0.15;

const isRequest = ({ item }: Piece): boolean => item.kind === 'REQUEST';
const isLastMessage = ({ item }: Piece): boolean => item.kind === 'LAST_MESSAGE';
const isCompaction = ({ item }: Piece): boolean => item.kind === 'COMPACTION';
const isIn =
  (stage: Stage) =>
  ({ item }: Piece): boolean =>
    item.stage === stage;

/** Fills a room with pieces. Every step keeps within it; what is in stays in, and may only grow. */
export class Packing {
  readonly #forms = new Map<Piece, string>();
  readonly #opened = new Set<Section>();
  #left: Size;
  readonly #whole: number;

  /** `room` is what is left beside the words around the pieces. */
  constructor(
    private readonly pieces: readonly Piece[],
    private readonly fence: string,
    room: Size,
  ) {
    this.#left = room;
    this.#whole = Math.min(room.characters, room.bytes);
  }

  get chosen(): Chosen[] {
    return this.pieces.flatMap((piece) => (this.#forms.has(piece) ? [{ piece, form: this.#forms.get(piece)! }] : []));
  }

  /** Whether the pieces that a prompt has at any size are in. */
  get hasEssentials(): boolean {
    return this.pieces.every((piece) => !essential(piece) || this.#forms.has(piece));
  }

  /**
   * Stage by stage; where a piece finds no room nothing of less importance comes in either, and the rest goes to those
   * that are in. What is spare goes first to what users said, whole, then to what agents said, and only then to calls.
   */
  fill(): void {
    const head = this.pieces.filter(isIn('head'));
    const complete = head.every((piece) => this.#put(piece, appetiteOf(piece).least, appetiteOf(piece).first));
    for (const piece of head) this.#grow(piece, this.#whole * appetiteOf(piece).share);
    if (complete && this.#add('work')) {
      // Whole where that is possible: it is all that is known of what came before it.
      for (const piece of head.filter(isCompaction)) this.#growWhole(piece);
      for (const piece of head.filter((piece) => isRequest(piece) || isCompaction(piece) || isLastMessage(piece))) this.#grow(piece, this.#whole * largestShare);
      if (this.#add('files')) this.#addTalk();
    }
    for (const is of growth) this.#growAll(is);
  }

  #addTalk(): void {
    const work = this.pieces.filter(isIn('work'));
    for (const piece of work) this.#grow(piece, this.#whole * (piece.item.kind === 'METADATA' ? shareOfMetadata : 0.08));
    const people = this.#add('people');
    for (const is of growth.slice(0, growth.indexOf(isSaid) + 1)) this.#growAll(is);
    if (people && this.#add('words')) {
      this.#growAll(isIn('words'));
      if (this.#add('tools') && this.#add('calls')) {
        this.#growAll(isIn('calls'));
        this.#add('rest');
      }
    }
  }

  #growAll(is: (piece: Piece) => boolean): void {
    for (const piece of this.pieces) if (is(piece)) this.#grow(piece, Infinity);
  }

  /** To all of it, or not at all: what follows needs room too. */
  #growWhole(piece: Piece): void {
    if (this.#forms.has(piece) && piece.full.length <= this.#whole * 0.6) this.#put(piece, piece.full.length, piece.full.length);
  }

  #add(stage: Stage): boolean {
    return this.pieces.filter(isIn(stage)).every((piece) => {
      const { kind, brief } = piece.item;
      if (brief !== undefined) return this.#put(piece, Math.min(brief.length + 2, 100), Math.min(brief.length + 2, 100));
      if (kind === 'FILE' || kind === 'CALL') return this.#put(piece, 60, 300);
      if (stage === 'rest') return this.#put(piece, 60, 200);
      return this.#put(piece, 60, kind === 'MESSAGE' ? Math.max(200, this.#whole * 0.12) : kind === 'METADATA' ? 300 : 160);
    });
  }

  #grow(piece: Piece, most: number): void {
    const form = this.#forms.get(piece);
    if (form !== undefined && form !== piece.full && form.length < most) this.#put(piece, form.length + 1, most);
  }

  /** Puts a piece in, or makes it longer: as much of it as fits, up to `most` characters. False when not even `least` fit. */
  #put(piece: Piece, least: number, most: number): boolean {
    const { full } = piece;
    const before = this.#forms.get(piece);
    const room = before === undefined ? minus(this.#left, this.#costOfOpening(piece.section)) : plus(this.#left, costOf(before));
    const atMost = Math.min(Math.floor(most), full.length);
    const fits = (form: string): boolean => fitsIn(costOf(form), room);
    const best = piece.short(atMost);
    const form = fits(best) ? best : longest((characters) => piece.short(characters), Math.min(least, atMost), atMost - 1, fits);
    if (form === null || (before !== undefined && form.length < before.length)) return false;
    this.#forms.set(piece, form);
    this.#opened.add(piece.section);
    this.#left = minus(room, costOf(form));
    return true;
  }

  #costOfOpening(section: Section): Size {
    if (this.#opened.has(section)) return { characters: 0, bytes: 0 };
    // It may come to say "(12 of 12)".
    return sizeOf(`${opening(section, section.total, this.fence)} of ${section.total}\n${this.fence}`);
  }
}

/** Which pieces grow into spare room, in this order. */
const isSaid = isIn('people');
const growth: ((piece: Piece) => boolean)[] = [
  isRequest,
  isCompaction,
  isSaid,
  isLastMessage,
  isIn('head'),
  isIn('work'),
  isIn('files'),
  isIn('words'),
  isIn('calls'),
  isIn('rest'),
  isIn('tools'),
];

const essential = ({ item }: Piece): boolean => item.id === 'request-1' || item.id === 'last-message-1';
const appetiteOf = ({ item }: Piece): Appetite => heads[item.id] ?? headOfList;

const costOf = (form: string): Size => sizeOf(`${form}\n`);
