// Matches, and moves from `you.legal`, told by the types alone: the compiler asks for a new kind of move here.
import { argv } from "node:process";
import type { components } from "./build/blattwerk.js";

type Schemas = components["schemas"];
type NewTable = Schemas["NewTable"];

/** A short match of each game. */
export const MATCHES: { [Game in NewTable["game"]]: Extract<NewTable, { game: Game }> } = {
  hearts: { game: "hearts", bots: [1, 2], options: { players: 3, target_score: 1 } },
  herzeln: { game: "herzeln", bots: [1, 2], options: { players: 3 } },
  romme: { game: "romme", seats: 3, bots: [1, 2], options: { match_end: "rounds", rounds: 1 } },
  von_herzen: { game: "von_herzen", bots: [1, 2], options: { players: 3, complete_rounds: 1 } },
};
export const MINUTES = 2;

const SEED = Number(argv[3] ?? Date.now() % 2 ** 31);
console.error(`seed ${SEED}`);
let state = SEED;

/** A number from 0 to 1, the same ones for a seed (mulberry32). */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

function first<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined) throw new Error("an entry of legal leaves nothing to choose");
  return item;
}

function never(entry: never): never {
  throw new Error(`a kind of move that the types do not know: ${JSON.stringify(entry)}`);
}

export function hearts(entry: Schemas["HeartsLegal"]): Schemas["HeartsMove"] {
  switch (entry.type) {
    case "pass":
      return { type: "pass", cards: entry.cards.slice(0, entry.count) };
    case "play":
      return { type: "play", card: first(entry.cards) };
    default:
      return never(entry);
  }
}

export function herzeln(entry: Schemas["HerzelnLegal"]): Schemas["HerzelnMove"] {
  switch (entry.type) {
    case "play":
      return { type: "play", card: first(entry.cards) };
    case "place": {
      const { card, ends } = first(entry.placements);
      return { type: "place", card, end: first(ends) };
    }
    case "pass":
      return entry;
    default:
      return never(entry);
  }
}

/** Nothing where an entry is for drafts, or lists no move. */
export function romme(entry: Schemas["RommeLegal"]): Schemas["RommeMove"] | undefined {
  switch (entry.type) {
    case "draw_stock":
      return entry;
    case "draw_pile":
      return { type: "draw_pile" };
    case "lay":
      return entry.best.length > 0 ? { type: "lay", melds: entry.best.map((reading) => reading.meld) } : undefined;
    case "lay_off": {
      const [place] = entry.places;
      if (!place) return entry.together?.[0];
      const { meld, end, ...card } = place;
      return { type: "lay_off", meld, cards: [card], ...(end && { end }) };
    }
    case "swap_joker": {
      const [swap] = entry.swaps;
      return swap && { type: "swap_joker", ...swap };
    }
    case "discard":
      return entry.cards[0] === undefined ? undefined : { type: "discard", card: entry.cards[0] };
    default:
      return never(entry);
  }
}

export function vonHerzen(entry: Schemas["VonHerzenLegal"]): Schemas["VonHerzenMove"] {
  switch (entry.type) {
    case "offer":
    case "counter":
      return { type: entry.type, cards: entry.cards.slice(0, entry.least) };
    case "accept":
    case "take":
    case "agree":
      return { type: entry.type, cards: entry.cards.slice(0, entry.count) };
    case "draw_pile":
    case "discard":
      return { type: entry.type, card: first(entry.cards) };
    case "lay":
      return { type: "lay", cards: first(entry.melds) };
    case "lay_off":
      return { type: "lay_off", ...first(entry.places) };
    case "pass_offer":
    case "decline":
    case "leave":
    case "withdraw":
    case "draw_stock":
    case "end_turn":
      return entry;
    default:
      return never(entry);
  }
}

/** What of a table a move follows from, whichever generator made the table's type. */
type Seen =
  | { game: "hearts"; you: { legal: Schemas["HeartsLegal"][] } | null }
  | { game: "herzeln"; you: { legal: Schemas["HerzelnLegal"][] } | null }
  | { game: "romme"; you: { legal: Schemas["RommeLegal"][] } | null }
  | { game: "von_herzen"; you: { legal: Schemas["VonHerzenLegal"][] } | null };

/** The move that answers the open decision: one of those that `legal` lists. */
export function choose(view: Seen, decision: number): Schemas["MoveRequest"] {
  switch (view.game) {
    case "hearts":
      return { game: view.game, decision, move: some(view.you?.legal.map(hearts)) };
    case "herzeln":
      return { game: view.game, decision, move: some(view.you?.legal.map(herzeln)) };
    case "romme":
      return { game: view.game, decision, move: some(view.you?.legal.map(romme)) };
    case "von_herzen":
      return { game: view.game, decision, move: some(view.you?.legal.map(vonHerzen)) };
  }
}

function some<Move>(moves: (Move | undefined)[] | undefined): Move {
  const listed = moves?.filter((move) => move !== undefined) ?? [];
  const move = listed[Math.floor(random() * listed.length)];
  if (move === undefined) throw new Error("no move is legal");
  return move;
}
