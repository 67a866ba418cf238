// A move from `you.legal`, told by the types alone: the compiler asks for a new kind of move here.
import type { components } from "./build/blattwerk.js";

type Schemas = components["schemas"];

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
