"""Matches that are over, by player, in PostgreSQL."""

from uuid import UUID, uuid4

import psycopg

from service.store.queries import statements

_OTHERS = """
insert into ended_matches
select n, 0, gen_random_uuid(), n, '{}' from generate_series(0, 9999) n;
insert into ended_seats
select gen_random_uuid(), created, stream, position, 1 from ended_matches;
"""
_MINE = """
insert into ended_seats
select %s::uuid, created, stream, position, 0 from ended_matches where position %% 25 = 0
"""


def test_a_page_of_matches_that_are_over_is_read_by_the_index(database_url: str) -> None:
    player = uuid4()
    page = {"player": player, "created": 5001, "stream": UUID(int=0), "limit": 20}
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(_OTHERS)
        connection.execute(_MINE, (player,))
        connection.execute("analyze ended_matches, ended_seats")
        of_player = "explain (analyze, costs off, timing off) " + statements("ended_matches")["of_player"]
        plan = "\n".join(line for (line,) in connection.execute(of_player, page))
        for part in ("Index Scan using ended_seats_newest", "Index Scan using ended_matches_pkey", "events_version"):
            assert part in plan, plan
        assert "Seq Scan" not in plan, plan
        assert "Sort" not in plan, plan
        rows = connection.execute(statements("ended_matches")["of_player"], page).fetchall()
    assert len(rows) == 20
