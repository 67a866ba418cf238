"""No card is lost, doubled or made up."""

from collections import Counter

from tests.conformance.matches import Match


def check_cards(match: Match, positions: int) -> None:
    """While a round runs, the cards in play are exactly the pack it was dealt from; hands are part of them."""
    game, hooks = match.game, match.hooks
    assert match.chance.packs, match.at(None, "no pack was shuffled: every order comes from chance.shuffle")
    for step in match.steps:
        if not game.decider.to_act(step.after):
            continue
        pack = Counter(match.chance.packs[game.views.round_number(step.after)])
        found = Counter(hooks.cards_in_play(step.after))
        assert found == pack, match.at(step, f"zones() lost {pack - found}, too many {found - pack}, of the pack")
        hands = Counter(card for seat in range(match.seats) for card in game.views.hand(step.after, seat))
        assert not hands - found, match.at(step, f"in hands, but not in zones(): {hands - found}")
