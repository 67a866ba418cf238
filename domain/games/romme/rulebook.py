"""Every numbered rule in short, and the reasons for refusing a move, as clients show them."""

from typing import Final

from domain.decider import Rule

_TEXTS: Final = (
    # cards
    "Two packs of 52 cards and six jokers are used, 110 cards in all.",
    "Each card has a name of its own, such as QS#1 and QS#2; moves name cards by it.",
    "The names stay the same throughout the match and say nothing about the shuffle.",
    "Left in a hand, 2 to 9 cost their number, ten to king 10, an ace 11 and a joker 20.",
    # players and deal
    "Two to six seats take part; computer players may sit on any of them.",
    "Everybody plays alone.",
    "All 110 cards are shuffled for each round. Shuffles follow from the table's secret and are recorded.",
    "Chance picks the starter of the first round; in the next round the seat after it starts, whatever happened.",
    "Cards are dealt one at a time, beginning with the starter: 13 to each seat, one more to the starter.",
    "What is left is the stock. The discard pile begins empty.",
    "The starter only discards one of 14 cards. The first full turn belongs to the next seat.",
    "There is no cutting and no second deal.",
    # the turn
    "A turn is one draw, then as much or as little laying as allowed, then one discard.",
    "The draw is the top card of the stock or of the discard pile.",
    "Whoever takes from the pile need not lay that card. At some tables only seats that are out may take from it.",
    "Only the top card of the pile can be taken.",
    "A draw cannot be taken back.",
    "Nobody passes: each turn has its draw and its discard.",
    "After twelve turns for each seat in which nobody drew from the stock or laid anything, "
    "the next draw must be from the stock.",
    # melds
    "A set is three or four cards of one rank, each of another suit.",
    "A run is three or more cards of one suit in sequence. The ace goes before the two or after the king, "
    "never between them.",
    "A run holds each rank once at most, so it ends at 13 cards.",
    "The two copies of a face never lie in the same meld.",
    "A card taken from the pile cannot be discarded in the same turn; its twin can.",
    "A joker may show any face that fits, even one of which both copies can be seen.",
    "No meld ever has more jokers than real cards.",
    "Jokers may lie side by side and at the ends of a run.",
    "Whoever lays a joker says which face it shows, rank and suit, even if only one would do.",
    "A joker keeps its face and its place as long as it lies there.",
    "A meld counts the faces it shows: numbers as they are, ten to king 10, an ace 11, but 1 at the low end of a run. "
    "A joker counts as its face.",
    "What lies on the table stays; melds are not taken apart or put together.",
    "The same faces may lie on the table several times. Melds are numbered as they are laid; who laid one "
    "makes no difference.",
    # coming out and preparing
    "The first laying of a round must reach the minimum of the table, with all its melds together in one move.",
    "Where the table asks for no points, the first laying still takes a meld of one's own.",
    "Cards laid off and jokers swapped do not count towards the minimum.",
    "With its first laying a seat is out for the rest of the round, and may lay more and lay off in the same turn.",
    "Later melds need no minimum.",
    "Melds can be prepared one by one before they are laid; what is still missing is shown.",
    "Prepared melds are nobody else's business: the cards still belong to the hand, but cannot be used elsewhere.",
    "Prepared melds can be taken back one by one or all at once.",
    "Laying can name its melds, or lay everything that is prepared. Whatever else was prepared is then taken back.",
    "As long as something is prepared nothing can be discarded. Nothing prepared outlives the turn.",
    "Others only ever learn of melds that were really laid, and those are final.",
    # laying off
    "A seat that is out may add cards of its hand to every meld on the table.",
    "One move adds to one meld; what lies there stays as it is, and the whole must be a valid meld afterwards.",
    "Sets grow to four cards; runs grow at their ends to 13, and nothing goes beyond an ace.",
    "A place that a joker holds is taken; the card it shows cannot be laid off there.",
    "Where a run of 13 leaves it open, a new ace goes to the high end unless the move says low.",
    # joker swap
    "Where the table allows it, a seat that is out may take a joker from the table for a card of exactly the face it "
    "shows.",
    "A joker taken like this is a card like any other and need not be used.",
    "Any number of jokers may be taken in a turn, but never one joker for another.",
    # discarding and going out
    "One card goes face up on the pile, a joker too if one likes.",
    "The last card of a hand is always discarded: no laying may leave a hand without a card that can be discarded.",
    "Whoever discards the last card wins the round, which is over at once.",
    "Whoever wins without having been out when the turn began makes a hand Rommé, even if cards were laid off in it.",
    "A hand Rommé doubles what the others count, unless the table says otherwise.",
    # the stock runs out
    "If the stock is empty when a turn ends, the pile except its top card is shuffled and becomes the new stock.",
    "The turn in which the stock ran out is played to its end, and may win the round.",
    "The fourth time the round is over: the hand of lowest value wins, several if they are equal. Nothing is doubled.",
    "Between turns stock and pile together always have the same number of cards, so a new stock is never empty.",
    # scoring
    "Winners count 0; all others the value of the cards left in their hands.",
    "In a hand an ace is always 11 and a joker 20, and complete melds do not count less.",
    "Round points are added up. Few points are good, and winning brings nothing on top.",
    "When a round is over all hands are shown.",
    # the match
    "After each round the table waits until the host starts the next one.",
    "A match by rounds is over after the chosen number of rounds.",
    "A match by points is over after the round in which a total reaches the limit.",
    "An open match is over when the host says so between two rounds.",
    "The lowest total wins. Equal totals share a place, and the next place is left out.",
    "Seats and totals stay as they are; a computer player takes over for whoever leaves.",
    # options
    "A table chooses the minimum, swapping of jokers, doubling, who takes from the pile, and how the match ends.",
    "The four house rules go together in every combination, with any end of the match and any number of seats.",
    "A number of rounds or a limit of points is only given where the match ends by it. "
    "Unknown options and other values are refused.",
    "Only the host changes options, and never while a round runs.",
    "How the match ends is fixed with the first deal; the house rules may change between rounds.",
    "A change holds from the next deal on. Each round keeps the options it was played under.",
    "Everybody sees all options, and which of them differ from the usual. A change takes back everybody's ready mark.",
    # order of the hand
    "Each seat keeps its hand in an order of its own, which means nothing for the game.",
    "A hand can be sorted by suit or by rank, the ace high and jokers last.",
    "Sorting happens once; cards that come later are not sorted in.",
    "A single card can be moved to any place, or the whole order be set.",
    "New cards come in on the right.",
    "The hand may be arranged at any time while the round runs, also when others are on turn.",
    "The order lasts until the round ends, on every device.",
    "Nobody else notices when a hand is arranged.",
    # what is seen
    "Everybody sees the table, the top of the pile, what is taken from it, numbers of cards and the score. "
    "Only a seat itself sees its hand, what it draws from the stock and what it prepares.",
    "Private actions leave no gap in what others receive.",
    # computer and absent players
    "For an absent player the service draws from the stock and discards that card, otherwise the dearest card that may "
    "be discarded and is no joker. It lays nothing.",
    "A computer player knows what a person on its seat would know, and plays by the same rules.",
    "A computer player always finishes its turn, and takes from the pile only what it can use.",
    "A move is accepted as a whole or refused as a whole, with the first reason that applies.",
)

RULES: Final = tuple(Rule(f"R-{number}", text) for number, text in enumerate(_TEXTS, start=1))
"""All rules in order."""

WORDS: Final = {
    "kind": {"set": "Set", "run": "Run of a suit"},
    "phase": {
        "lobby": "Between the rounds",
        "opening": "First discard",
        "draw": "Drawing",
        "play": "Laying and discarding",
        "emptied": "The hand is empty",
        "shuffling": "Shuffling",
        "scoring": "Scoring",
        "over": "Finished",
    },
}
"""Names of melds and phases."""

REJECTIONS: Final = {
    "match_over": "The match is over.",
    "not_seated": "You hold no seat at this table.",
    "not_your_turn": "It is another seat's turn.",
    "wrong_phase": "This kind of move is not possible now.",
    "swap_disabled": "Jokers are not swapped at this table.",
    "discard_draw_not_out": "At this table only seats that have laid may take from the pile.",
    "must_draw_stock": "Nothing has happened for a long time: draw from the stock.",
    "not_out": "Lay melds of your own first.",
    "unknown_meld": "There is no such meld on the table.",
    "unknown_draft": "There is no such prepared meld.",
    "no_joker": "That joker does not lie in this meld.",
    "nothing_to_lay": "There is nothing to lay.",
    "invalid_card": "There is no such card in this game.",
    "duplicate_card": "The same card is named twice.",
    "card_not_in_hand": "You do not hold this card.",
    "card_reserved": "This card is part of a prepared meld.",
    "drafts_open": "Lay your prepared melds or take them back before you discard.",
    "joker_face_missing": "Say which face each joker shows.",
    "meld_too_small": "A meld has three cards at least.",
    "too_many_jokers": "A meld cannot have more jokers than real cards.",
    "meld_invalid": "These cards are no set and no run.",
    "swap_wrong_card": "Only the very card that the joker shows can take its place.",
    "first_meld_too_low": "These melds do not reach the points needed for the first laying.",
    "must_keep_discard": "Keep a card that you may discard.",
    "discard_just_taken": "The card taken from the pile cannot be discarded in the same turn.",
    "order_stale": "That is not an order of the cards you hold now.",
    "not_open": "Only an open match is ended by hand.",
    "no_round_played": "No round has been played yet.",
}
"""What each code of a refusal tells the player."""
