"""The lobby between rounds, for games that have one."""

from domain.decider import OptionProblem, Rejection
from tests.conformance.checks.legality import check_reason
from tests.conformance.matches import Match
from tests.conformance.wire import canonical


def check_lobby(match: Match, positions: int) -> None:
    """Between rounds nobody acts; refusals have reasons, bad values are refused, no values change nothing."""
    game, lobby = match.game, match.game.lobby
    if lobby is None:
        return
    rules = {rule.number for rule in game.rules}
    for step in match.steps:
        between = lobby.between_rounds(step.after)
        idle = not game.decider.to_act(step.after) and game.decider.outcome(step.after) is None
        assert between == idle, match.at(step, "it is not clear whether a round is running")
        if not between:
            continue
        before = canonical(step.after)
        ended = lobby.end_match(step.after)
        if isinstance(ended, Rejection):
            check_reason(game, ended, match.at(step, "end_match"))
        assert lobby.change_options(step.after, {}) == (), match.at(step, "no values change something")
        for option in ("no_such_option", *game.options.schema["properties"]):
            values = {option: "no such value"}
            problem = lobby.change_options(step.after, values)
            assert isinstance(problem, OptionProblem), match.at(step, f"{values} are accepted: {problem}")
            assert problem.rule in rules, match.at(step, f"{values}: {problem}")
            assert problem.option == option, match.at(step, f"{values}: {problem}")
        assert canonical(step.after) == before, match.at(step, "the state was changed by judging")
