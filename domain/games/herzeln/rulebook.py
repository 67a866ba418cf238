"""Every numbered rule in short, and the reasons for refusing a move, as clients show them."""

from typing import Final

from domain.decider import Rule

RULES: Final[tuple[Rule, ...]] = (
    # players, cards, deal
    Rule("Z-1", "Three or four play, everyone for himself."),
    Rule("Z-2", "Four players use 32 cards, from seven to ace; three players use 24, without sevens and eights."),
    Rule("Z-3", "From high to low the cards rank ace, ten, king, queen, jack, nine, eight, seven."),
    Rule("Z-4", "Tricks and layout use the same order of ranks."),
    Rule("Z-5", "Everyone gets eight cards, and no card is left over."),
    Rule("Z-6", "Cards are dealt one by one, clockwise, starting at the dealer's left."),
    Rule("Z-7", "Turns go round clockwise."),
    Rule("Z-8", "Chance picks the first dealer of a match, and the draw is recorded."),
    Rule("Z-9", "A series is eight rounds with contracts 1 to 8 in this order, each with a newly shuffled pack."),
    # tricks
    Rule("Z-10", "No suit is trump."),
    Rule("Z-11", "The player at the dealer's left leads to the first trick."),
    Rule("Z-12", "With a card of the suit led in hand, one has to play that suit."),
    Rule("Z-13", "Nobody has to beat a card; every card of the suit led is good enough."),
    Rule("Z-14", "Without a card of the suit led one may play anything, but such a card cannot win."),
    Rule("Z-15", "The highest card of the suit led wins the trick."),
    Rule("Z-16", "Whoever won a trick leads to the next one."),
    Rule("Z-17", "Hearts, queens and the king of hearts may be led or discarded whenever one likes, even at once."),
    Rule("Z-18", "A round of tricks has eight tricks, unless the table stops decided rounds."),
    Rule("Z-19", "A card counts for the player who won the trick it lies in, no matter who played it."),
    # scores
    Rule(
        "Z-20",
        "Contract 1, hearts: each taken heart costs points, the ace 11, ten 10, king 4, queen 3, jack 2, others 1.",
    ),
    Rule("Z-21", "Contract 2, tricks wanted: every trick brings 10 points."),
    Rule("Z-22", "Contract 3, tricks unwanted: every trick costs 10 points."),
    Rule("Z-23", "Contract 4, queens: every taken queen costs 20 points."),
    Rule("Z-24", "Contract 5, king of hearts: taking him costs 40 points."),
    Rule("Z-25", "Contract 6, last trick wanted: only the eighth trick counts, and it brings 40 points."),
    Rule("Z-26", "Contract 7, last trick unwanted: only the eighth trick counts, and it costs 40 points."),
    Rule(
        "Z-27",
        "All points of a series add up to -213 with four players and to -181 with three.",
    ),
    Rule(
        "Z-28",
        "If the table says so, contracts 1, 4 and 5 end with the trick that takes the last card that counts.",
    ),
    # layout
    Rule("Z-29", "In the layout only ranks matter; suits mean nothing."),
    Rule("Z-30", "The whole table builds one line, which grows at both of its ends."),
    Rule("Z-31", "The line starts with a jack of any suit."),
    Rule("Z-32", "The player at the dealer's left begins; whoever has a jack when his turn comes opens the line."),
    Rule("Z-33", "A turn is one placed card or one pass."),
    Rule("Z-34", "At the high end fits the next higher rank, at the low end the next lower one."),
    Rule("Z-35", "Ranks go round in a circle: the lowest follows above the ace, and the ace below the lowest."),
    Rule("Z-36", "Jacks after the first are placed like any other card."),
    Rule("Z-37", "A placed card is named together with its end, even if it fits both; only the first jack has none."),
    Rule("Z-38", "Whoever can place a card must do so; only a hand without a fitting card may pass."),
    Rule("Z-39", "A pass costs nothing, and no card is drawn for it."),
    Rule("Z-40", "A card in the line stays where it is."),
    Rule("Z-41", "Whoever places his last card is out and has no more turns; the others play on for the next places."),
    Rule("Z-42", "The round ends when a single player still has cards; he gets the last place."),
    Rule("Z-43", "The first place costs nothing, each further place 10 points more than the one before."),
    Rule("Z-44", "A forced pass is a move and is recorded like any other."),
    # service
    Rule(
        "Z-45",
        "For an absent player the lowest allowed card is played; in the layout the first fitting card is placed, "
        "upward if it fits both ends, or else a pass made.",
    ),
    Rule("Z-46", "Options are checked strictly, and they hold for the whole match."),
    Rule("Z-47", "A computer player knows only what its seat may see, and always finds an allowed move."),
    # match
    Rule("Z-50", "The points of all rounds are added, and the highest total wins."),
    Rule("Z-51", "A match is one series, or one per player; the deal moves on so that all deal equally often."),
    Rule("Z-52", "Equal totals share a place."),
    Rule("Z-53", "A match is played to its last round, even when the winner is known earlier."),
    # views and answers
    Rule("Z-60", "Hands are hidden, everything else is open; after the match the dealt hands and packs are open too."),
    Rule("Z-70", "A refused move changes nothing and shows nothing to others; the first failing check is reported."),
)

WORDS: Final[dict[str, dict[str, str]]] = {
    "contract": {
        "1": "No hearts",
        "2": "Every trick",
        "3": "No tricks",
        "4": "No queens",
        "5": "King of hearts",
        "6": "Last trick wanted",
        "7": "Last trick unwanted",
        "8": "Layout",
    },
    "contract_points": {
        "1": "Hearts: ace -11, ten -10, king -4, queen -3, jack -2, all others -1",
        "2": "+10 for each trick",
        "3": "-10 for each trick",
        "4": "-20 for each queen",
        "5": "-40 for the king of hearts",
        "6": "+40 for the last trick",
        "7": "-40 for the last trick",
        "8": "By place: 0, -10, -20, -30",
    },
    "phase": {"new": "Before the start", "tricks": "Tricks", "layout": "Layout", "finished": "Finished"},
}
"""Names of contracts and phases, and what each contract counts (Z-20 to Z-26, Z-43)."""

REJECTIONS: Final[dict[str, str]] = {
    "match_over": "The match is over.",
    "not_seated": "You hold no seat at this table.",
    "wrong_phase": "This kind of move is not possible now.",
    "not_your_turn": "It is another seat's turn.",
    "invalid_card": "There is no such card in this game.",
    "card_not_in_hand": "You do not hold this card.",
    "must_follow_suit": "You hold a card of the suit led and have to play that suit.",
    "wrong_end": "Name the end, up or down, once the line has cards; the first card has no end to name.",
    "must_open_with_jack": "The line can only be started with a jack.",
    "card_does_not_fit": "The card does not fit at that end.",
    "must_place": "You hold a card that fits, so you cannot pass.",
}
