import type { Stage } from './item.ts';
import { opening, type Piece, type Section } from './sections.ts';
import { longest } from './shorten.ts';

export interface Size {
  characters: number;
  bytes: number;
}

export const sizeOf = (text: string): Size => ({ characters: text.length, bytes: Buffer.byteLength(text) });
export const fitsIn = (size: Size, room: Size): boolean =>
  size.characters <= room.characters && size.bytes <= room.bytes;
const plus = (a: Size, b: Size): Size => ({ characters: a.characters + b.characters, bytes: a.bytes + b.bytes });
const minus = (a: Size, b: Size): Size => ({ characters: a.characters - b.characters, bytes: a.bytes - b.bytes });

export interface Chosen {
  piece: Piece;
  form: string;
}

/** Characters for an item: `least` to be included at all, `first` before other items are included. */
interface Allowance {
  least: number;
  first: number;
  /** Share of the whole room, once all head items are included. */
  share: number;
}

// The request keeps 200 characters, as documented, and one for the mark of the cut.
const heads: Record<string, Allowance> = {
  'request-1': { least: 201, first: 201, share: 0.18 },
  'compaction-1': { least: 60, first: 120, share: 0.2 },
  'last-message-1': { least: 4, first: 100, share: 0.2 },
  'last-message-2': { least: 60, first: 120, share: 0.1 },
  'request-2': { least: 60, first: 100, share: 0.1 },
  'reason-1': { least: 40, first: 80, share: 0.06 },
  'workspace-1': { least: 40, first: 200, share: 0.06 },
  'stage-1': { least: 60, first: 400, share: 0.2 },
  'summary-1': { least: 60, first: 120, share: 0.12 },
  'instructions-1': { least: 40, first: 80, share: 0.06 },
};
/** Newer words tell what is so now. */
const older: Allowance = { least: 60, first: 120, share: 0.1 };
const headOfList: Allowance = { least: 40, first: 90, share: 0.08 };
const largestShare = 0.35;
/** Files that take no more come before the longest texts grow further. */
const shareOfFiles = 0.4;
/** Words of people that take no more come before the longest texts grow. */
const shareOfPeople = 0.25;
const wordsOfOne = 200;
/** Of a small room the answer takes more. */
const placesFrom = 8_000;
const shareOfAnswer = 0.35;
const answerCharacters = 1_600;
/** For the newest payloads of stages, before messages are added. */
const shareOfPayloads = 0.7;
/** For metadata, before messages of users are added. */
const shareOfMetadata = 0.15;

const isRequest = ({ item }: Piece): boolean => item.kind === 'REQUEST';
const isLastMessage = ({ item }: Piece): boolean => item.kind === 'LAST_MESSAGE';
const isCompaction = ({ item }: Piece): boolean => item.kind === 'COMPACTION';
const isAnswer = ({ item }: Piece): boolean => item.id === 'last-message-1' && item.order !== 'BEFORE';
const isOlder = ({ item }: Piece): boolean =>
  item.order === 'OLDER' || (item.id === 'last-message-2' && item.order === 'BEFORE');
const isIn =
  (stage: Stage) =>
  ({ item }: Piece): boolean =>
    item.stage === stage;

/** Fills a room with pieces. Never exceeds it; an added piece stays and may only grow. */
export class Packing {
  readonly #forms = new Map<Piece, string>();
  readonly #opened = new Set<Section>();
  #left: Size;
  readonly #whole: number;

  /** `room` excludes the words around the pieces. */
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

  get hasEssentials(): boolean {
    return this.pieces.every((piece) => !essential(piece) || this.#forms.has(piece));
  }

  /**
   * Adds pieces stage by stage. When one does not fit, no later stage is added, and the added pieces grow instead. Spare
   * room goes first to messages of users, then to those of agents, then to calls.
   */
  fill(): void {
    const head = this.pieces.filter(isIn('head'));
    const complete = head.every((piece) => this.#put(piece, allowanceOf(piece).least, allowanceOf(piece).first));
    // The answer first: it tells what is so now.
    for (const piece of head.filter(isAnswer))
      this.#grow(piece, Math.min(this.#whole * shareOfAnswer, answerCharacters));
    for (const piece of head) this.#grow(piece, this.#whole * allowanceOf(piece).share);
    if (complete && this.#add('work')) {
      const files = this.pieces.filter(isIn('files')).reduce((size, { full }) => size + full.length, 0);
      const said = this.pieces
        .filter(isIn('people'))
        .reduce((size, { full }) => size + Math.min(full.length, wordsOfOne), 0);
      if (files <= this.#whole * shareOfFiles && this.#add('files') && said <= this.#whole * shareOfPeople)
        this.#add('people');
      // Whole if possible: it is the only record of the work before it.
      for (const piece of head.filter((piece) => isCompaction(piece) && !isOlder(piece))) this.#growWhole(piece);
      for (const piece of head.filter(
        (piece) => !isOlder(piece) && (isRequest(piece) || isCompaction(piece) || isLastMessage(piece)),
      ))
        this.#grow(piece, this.#whole * largestShare);
      this.#growPayloads();
      if (this.#add('files')) this.#addTalk();
    }
    for (const is of growth) this.#growAll(is);
  }

  #addTalk(): void {
    const work = this.pieces.filter(isIn('work'));
    for (const piece of work)
      this.#grow(piece, this.#whole * (piece.item.kind === 'METADATA' ? shareOfMetadata : 0.08));
    const people = this.#add('people');
    for (const is of growth.slice(0, growth.indexOf(isSaid) + 1)) this.#growAll(is);
    if (people && this.#add('words')) {
      for (const is of growth.slice(0, growth.indexOf(isCall))) this.#growAll(is);
      if (this.#add('tools') && this.#add('calls')) {
        this.#growAll(isCall);
        if (this.#add('notes')) this.#add('rest');
      }
    }
  }

  #growAll(is: (piece: Piece) => boolean): void {
    for (const piece of this.pieces) if (is(piece)) this.#grow(piece, Infinity);
  }

  /** What the stages before were left with last is whole before earlier attempts and messages are added, the last stage first. */
  #growPayloads(): void {
    let left = this.#whole * shareOfPayloads;
    for (const piece of this.pieces.filter(({ item }) => item.kind === 'PAYLOAD' && item.stage !== 'tools')) {
      left -= piece.full.length;
      if (left >= 0) this.#growWhole(piece);
    }
  }

  /** Grows a piece to its full length or not at all: later pieces need room too. */
  #growWhole(piece: Piece): void {
    if (this.#forms.has(piece) && piece.full.length <= this.#whole * 0.6)
      this.#put(piece, piece.full.length, piece.full.length);
  }

  #add(stage: Stage): boolean {
    return this.pieces.filter(isIn(stage)).every((piece) => {
      const { kind, brief } = piece.item;
      // Numbers of calls alone say nothing.
      if (kind === 'TOOL') return this.#put(piece, 100, 300);
      if (brief !== undefined) {
        const length = Math.min(brief.length + 2, 100) + this.#placeOf(piece);
        return this.#put(piece, length, length);
      }
      if (kind === 'FILE' || kind === 'CALL') return this.#put(piece, 60, 300);
      if (stage === 'rest') return this.#put(piece, 60, 200);
      return this.#put(
        piece,
        60 + this.#placeOf(piece),
        kind === 'MESSAGE' ? Math.max(200, this.#whole * 0.12) : kind === 'METADATA' ? 300 : 160,
      );
    });
  }

  /** In a small room the text comes first, and where the whole of it is comes back into room that is left. */
  #placeOf({ item }: Piece): number {
    return this.#whole < placesFrom ? 0 : (item.place?.length ?? 0);
  }

  #grow(piece: Piece, limit: number): void {
    const form = this.#forms.get(piece);
    if (form !== undefined && form !== piece.full && form.length < limit) this.#put(piece, form.length + 1, limit);
  }

  /** Adds a piece or makes it longer, up to `limit` characters. Returns false when `least` characters do not fit. */
  #put(piece: Piece, least: number, limit: number): boolean {
    const { full } = piece;
    const before = this.#forms.get(piece);
    const room =
      before === undefined ? minus(this.#left, this.#costOfOpening(piece.section)) : plus(this.#left, costOf(before));
    const atMost = Math.min(Math.floor(limit), full.length);
    const fits = (form: string): boolean => fitsIn(costOf(form), room);
    const best = piece.short(atMost);
    const form = fits(best)
      ? best
      : longest((characters) => piece.short(characters), Math.min(least, atMost), atMost - 1, fits);
    if (form === null || (before !== undefined && form.length < before.length)) return false;
    this.#forms.set(piece, form);
    this.#opened.add(piece.section);
    this.#left = minus(room, costOf(form));
    return true;
  }

  #costOfOpening(section: Section): Size {
    if (this.#opened.has(section)) return { characters: 0, bytes: 0 };
    // The counter in the title may become "(12 of 12)".
    return sizeOf(`${opening(section, section.total, this.fence)} of ${section.total}\n${this.fence}`);
  }
}

/** The order in which pieces grow into spare room. */
const isSaid = isIn('people');
const isCall = isIn('calls');
const growth: ((piece: Piece) => boolean)[] = [
  isAnswer,
  isRequest,
  (piece) => isCompaction(piece) && !isOlder(piece),
  isSaid,
  (piece) => isLastMessage(piece) && !isOlder(piece),
  isIn('head'),
  isIn('work'),
  isIn('files'),
  isIn('words'),
  isCall,
  isIn('notes'),
  isIn('rest'),
  isIn('tools'),
];

const essential = ({ item }: Piece): boolean => item.id === 'request-1' || item.id === 'last-message-1';
const allowanceOf = ({ item }: Piece): Allowance =>
  item.order === 'OLDER' || (item.order === 'BEFORE' && item.id === 'last-message-2')
    ? older
    : (heads[item.id] ?? headOfList);

const costOf = (form: string): Size => sizeOf(`${form}\n`);
