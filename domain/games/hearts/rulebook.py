"""Every numbered rule in short, and the reasons for refusing a move, as clients show them."""

from typing import Final

from domain.decider import Rule

_TEXTS: Final = (
    "Standard Hearts and Spot Hearts are one game with two ways of counting: they differ in what cards and the moon "
    "are worth and in the usual target, not in pack, passing or play.",
    "Words: seats are numbered clockwise from 0, a round is one deal from passing to scoring, a match is all rounds "
    "until the end, a penalty card is a card that costs points at this table.",
    "A card is its rank (2 to 9, T for ten, J, Q, K, A) and its suit (C, D, H, S). The ace is high, the two low. "
    "There is no trump.",
    "A table chooses variant, number of players, Black Maria, Omnibus, moon rule and target score. Unknown options "
    "and values that are not offered are refused.",
    "Black Maria goes only with the moon rule none, and without Black Maria that moon rule is not offered.",
    "Everything else may be combined freely, in both variants and for any number of players.",
    "Options must have exactly the right type; whatever is left out takes its default. They are fixed for the match.",
    "The usual target is 100, in Spot Hearts 500; any other allowed target may be chosen.",
    "Three, four or five people play, four if nothing is said, each for themselves.",
    "Four play with all 52 cards. Three leave out the two of diamonds, five also the two of spades, "
    "so that everybody gets the same number of cards.",
    "No penalty card, not the jack of diamonds and not the two of clubs is ever left out.",
    "The pack is shuffled for each round and dealt one card at a time, beginning with seat 0. There is no dealer.",
    "The dealt cards are recorded; replaying a match never shuffles again.",
    "Before the first trick each seat passes three different cards to one other seat. The direction changes from "
    "round to round and starts over after as many rounds as there are players.",
    "The last round of each such cycle is a hold round: nobody passes and play begins at once.",
    "All pass at the same time: nobody sees what others chose or what is coming before all have chosen.",
    "A pass that has been committed can be neither changed nor taken back.",
    "Any three cards of the dealt hand may be passed, in any order. Cards that were received are not passed on.",
    "Until the cards change hands a seat still holds all its cards, those it passes included.",
    "Whoever holds the two of clubs after the passing leads it to the first trick, and nothing else.",
    "The others follow clockwise with one card each.",
    "Whoever has a card of the suit led must play one. Otherwise any card may be played, but see the first trick.",
    "In the first trick nobody may discard a penalty card while holding a card that is none.",
    "Whoever has neither clubs nor any harmless card may play every card in the first trick, "
    "the queen of spades included.",
    "Which cards may not be discarded in the first trick depends on the table: with Black Maria also king and ace of "
    "spades, never the jack of diamonds.",
    "Hearts are broken as soon as a heart has been played in the round. No other card breaks them.",
    "Until hearts are broken nobody may lead a heart while holding a card of another suit.",
    "That holds for unpleasant cards too: whoever has only hearts and the queen of spades must lead the queen; with "
    "Black Maria the same goes for king and ace of spades. Spades may be led from the second trick on.",
    "The highest card of the suit led takes the trick. Its player leads the next one.",
    "A round is always played to its last trick; nobody can claim the rest or give up early.",
    "Each heart costs 1 and the queen of spades 13; in Spot Hearts a heart costs its number (jack 11, queen 12, "
    "king 13, ace 14) and the queen of spades 25. With Black Maria the king of spades costs 10 and the ace 7.",
    "With Omnibus the jack of diamonds takes off 10, in both variants. Otherwise it is worth nothing.",
    "Spot Hearts with 10 for each court card and 15 for the ace is not offered.",
    "All penalty cards of a round together cost 26, in Spot Hearts 129; with Black Maria 43 or 146.",
    "At the end of a round each seat adds up the penalty cards in its tricks; the bonus for the jack of diamonds is "
    "kept apart.",
    "Whoever takes all hearts and the queen of spades shoots the moon. With Black Maria there is no moon.",
    "Only the cards taken decide about a moon, not sums of points. The jack of diamonds does not matter for it.",
    "A moon is worth 26, in Spot Hearts 129.",
    "Without a moon a seat's result is the sum of its penalty cards and its bonus.",
    "If a moon is added to the others, each of them gets its worth and the shooter nothing.",
    "If a moon is subtracted, the shooter's total falls by its worth and the others get nothing.",
    "The bonus is counted after the moon, for whoever took the jack of diamonds.",
    "The table's moon rule holds in every situation; the shooter does not choose.",
    "Totals begin at 0, may become negative and have no limit.",
    "Whether the match ends is looked at once after each round.",
    "The match ends when a total has reached the target and one seat alone has the lowest total.",
    "While the lowest total is shared another round is played, and then the question is asked afresh.",
    "The seat with the lowest total wins.",
    "Places go by total, the lowest first. Equal totals share a place and the next place is left out.",
    "After the end no move is possible.",
    "Three phases: passing (not in hold rounds), playing, finished. Dealing, exchanging, taking tricks and scoring "
    "happen by themselves.",
    "Everybody sees the played cards, whose turn it is, the sizes of hands and the points. Only a seat itself sees its "
    "hand; only giver and receiver ever see passed cards. After the match everything is open.",
    "Nothing that is sent to others contains a hidden card in any form, and sets of cards come in a fixed order.",
    "Until the last seat has committed its pass nobody learns which cards are coming.",
    "Spectators see what everybody sees, no more, until the match is over.",
    "A refused move changes nothing and nobody else notices. The first reason that applies is given, reasons that "
    "depend on hidden cards last.",
    "No other leads or passes, no choice by the shooter, no bonus for taking no trick, no kitty, jokers, second pack, "
    "partners, doubling or claims.",
    "For an absent player the service passes the three highest cards and plays the lowest card that is legal. Computer "
    "players see what their seat sees.",
)

RULES: Final = tuple(Rule(f"H-{number}", text) for number, text in enumerate(_TEXTS, start=1))

WORDS: Final = {
    "phase": {"new": "Before the start", "passing": "Passing", "playing": "Playing", "finished": "Finished"},
}
"""Names of phases."""

REJECTIONS: Final[dict[str, str]] = {
    "match_over": "The match is over.",
    "not_seated": "You hold no seat at this table.",
    "wrong_phase": "This kind of move is not possible now.",
    "already_passed": "You have already committed your pass in this round.",
    "not_your_turn": "It is another seat's turn.",
    "invalid_card": "There is no such card in this game.",
    "wrong_pass_count": "Exactly three cards are passed.",
    "duplicate_card": "The same card is named twice.",
    "card_not_in_hand": "You do not hold this card.",
    "must_lead_two_of_clubs": "The two of clubs leads the first trick.",
    "must_follow_suit": "You hold a card of the suit led and have to play that suit.",
    "no_penalty_on_first_trick": "No penalty card may be played to the first trick while you hold another card.",
    "hearts_not_broken": "Hearts are not broken and you hold another suit to lead.",
}
"""Every code a refused move can get, with a sentence for the player."""
