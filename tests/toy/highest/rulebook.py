"""Highest Card: the numbered rules, and a sentence for each refusal."""

from domain.decider import Rule

RULES = (
    Rule("T-1", "The full pack of 52 cards is used."),
    Rule("T-2", "Each seat gets as many cards as the options say, one by one; the rest stays face down."),
    Rule("T-3", "All seats choose one card of their hand, face down, in any order, and once."),
    Rule("T-4", "The highest card wins; among equal ranks diamonds, then hearts, spades and clubs."),
    Rule("T-5", "The winner gets one point, for the last cards of a round as many as this version gives."),
    Rule("T-6", "Most points win after the last round; then the match is over."),
    Rule("T-7", "For an absent player the lowest card is chosen."),
    Rule("T-8", "A match has 1 to 5 rounds, a hand 1 to 6 cards."),
)

REJECTIONS = {
    "match_over": "The match is over.",
    "not_your_choice": "You have no choice to make now.",
    "invalid_card": "There is no such card in this game.",
    "card_not_in_hand": "You do not hold this card.",
}
