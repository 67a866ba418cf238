"""Overboard: the numbered rules, a sentence for each refusal, and the refusals."""

from domain.decider import Rejection, Rule

RULES = (
    Rule("O-1", "The 32 cards from the seven up are used."),
    Rule("O-2", "Each seat aboard gets three cards; three more lie open on the raft, the rest face down."),
    Rule("O-3", "In turn a seat swaps one card with the raft, swaps its whole hand, or stays."),
    Rule("O-4", "A hand counts its best suit: the ace 11, court cards and the ten 10, others their number."),
    Rule("O-5", "A round ends at once with a hand of the goal, in the deal too; or when all stay, or had four turns."),
    Rule("O-6", "The lowest hands lose a life, unless all are worth the same."),
    Rule("O-7", "Without a life a seat is out. Who is left last wins; who goes out later has the better place."),
    Rule("O-8", "An absent player stays."),
    Rule("O-9", "A match begins with 1 to 3 lives; the goal is 15 to 31."),
)

REJECTIONS = {
    "match_over": "The match is over.",
    "not_your_turn": "It is another seat's turn.",
    "card_not_in_hand": "You do not hold this card.",
    "card_not_on_raft": "That card is not on the raft.",
}

MATCH_OVER = Rejection("match_over", "O-7")
NOT_YOUR_TURN = Rejection("not_your_turn", "O-3")
CARD_NOT_IN_HAND = Rejection("card_not_in_hand", "O-3")
CARD_NOT_ON_RAFT = Rejection("card_not_on_raft", "O-3")
