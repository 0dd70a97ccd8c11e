"""`jaxhints check`, `rule`, `rules` and `new-rule`. Exit status: 0 nothing found, 1 hints found, 2 failure."""
from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import __version__
from .errors import HintsError

if TYPE_CHECKING:
    from .checker import FileResult, Options

MANY, MANY_TRACED = 20, 2  # from so many files on, progress is shown
FOUND, FAILED, STOPPED = 1, 2, 130
OUTPUT_FORMATS = ("full", "concise", "json", "sarif", "github")
STANDARD_INPUT = "-"


class _Group(click.Group):
    """Turns our own errors into one line and exit status 2, and Ctrl-C into 130."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except HintsError as error:
            for line in error.message.splitlines():
                click.echo(f"jaxhints: {line}", err=True)
            ctx.exit(FAILED)
        except KeyboardInterrupt:
            click.echo("jaxhints: stopped", err=True)
            ctx.exit(STOPPED)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="jaxhints")
def main() -> None:
    """Hints and quick fixes for JAX in notebooks and Python files."""


@main.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, allow_dash=True))
@click.option("--fix", is_flag=True, help="Apply safe fixes to the files.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff, apply fixes that need a look as well.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("--select", multiple=True, metavar="RULES", help="Rules or sections to use, with commas between.")
@click.option("--ignore", multiple=True, metavar="RULES", help="Rules or sections to leave out.")
@click.option("--output-format", type=click.Choice(OUTPUT_FORMATS), default="full", show_default=True)
@click.option("--statistics", is_flag=True, help="Count hints by rule, with the time that each rule took.")
@click.option("--jobs", type=click.IntRange(min=0), default=0,
              help="Processes; 0 lets the number of files decide. With --trace, notebooks that run at once; 0 is one.")
@click.option("--trace", is_flag=True, help="Run each notebook in a kernel of its own and trace its cells.")
@click.option("--device-checks", is_flag=True, help="With --trace, search NaNs and bad indices, and measure memory.")
@click.option("--timeout", type=click.FloatRange(min=1), default=60.0, show_default=True,
              help="Seconds that one cell may run, with --trace.")
@click.option("--stdin-filename", default=None, metavar="NAME", help="What standard input is called.")
@click.pass_context
def check(ctx: click.Context, paths: tuple[Path, ...], fix: bool, unsafe_fixes: bool, diff: bool,
          select: tuple[str, ...], ignore: tuple[str, ...], output_format: str, statistics: bool, jobs: int,
          trace: bool, device_checks: bool, timeout: float, stdin_filename: str | None) -> None:
    """Check notebooks, Python files and folders; `-` is standard input, no path the current folder."""
    _quiet_collector()
    # everything below costs a third of a second to import, which --help does not need
    from . import config, report
    from .checker import Options
    from .report import text

    if device_checks and not trace:
        raise click.UsageError("--device-checks needs --trace")
    chosen = config.Config(config.check_names(_split(select), "--select"),
                           config.check_names(_split(ignore), "--ignore"))
    options = Options(chosen, fix=fix or diff, unsafe=unsafe_fixes, timed=statistics, trace=trace,
                      device_checks=device_checks, timeout=timeout)
    from_stdin = STANDARD_INPUT in map(str, paths)
    results = [_standard_input(stdin_filename, options)] if from_stdin else _check(paths, options, jobs)
    if diff:
        _show_diff(results)
    elif from_stdin and fix:
        if results[0].after is not None:
            sys.stdout.buffer.write(results[0].after.data)
            sys.stdout.flush()
    else:
        _write(results, fix)
        click.echo(report.render(results, output_format), nl=False)
    if statistics:
        click.echo(text.statistics(results), nl=False, err=output_format != "full")
    brief = diff or (from_stdin and fix) or output_format not in ("full", "concise")
    _say(results, brief, unsafe_fixes)
    ctx.exit(_status(results, diff))


@main.command()
@click.argument("name")
def rule(name: str) -> None:
    """Show a rule's page."""
    from . import config, pages, rules

    config.check_names([name], "jaxhints rule")
    found = rules.find(name)
    if found is None:
        raise click.UsageError(f"{name} is not a rule; `jaxhints rules` lists them")
    page = pages.document(found)
    if not sys.stdout.isatty():
        click.echo(page, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(page))


@main.command()
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def rules(output_format: str) -> None:
    """List every rule with its section."""
    from . import pages
    from .protocol import RulesResponse
    from .rules import load

    if output_format == "json":
        click.echo(RulesResponse(rules=[pages.info(found) for found in load()]).model_dump_json(indent=2))
        return
    section = None
    for found in load():
        if found.section != section:
            click.echo(("" if section is None else "\n") + click.style(found.section, bold=True))
            section = found.section
        click.echo(f"  {found.name:32} {found.title}")


@main.command("new-rule")
@click.argument("name")
@click.option("--section", required=True, help="A section of the guide, for example `in-place updates`.")
@click.option("--kind", type=click.Choice(["error", "silent", "slow", "style"]), default="error", show_default=True)
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), default=None,
              help="Where the sections' folders are; by default those of the installed package.")
def new_rule(name: str, section: str, kind: str, folder: Path | None) -> None:
    """Write the file of a new rule, with an example that fails until the rule is written."""
    from . import scaffold

    click.echo(scaffold.write(name, section, kind, folder))


def _split(given: Iterable[str]) -> list[str]:
    return [name.strip() for group in given for name in group.split(",") if name.strip()]


def _check(paths: Sequence[Path], options: Options, jobs: int) -> list[FileResult]:
    from . import discovery

    if options.trace:
        from .traced import check_paths
    else:
        from .checker import check_paths
    found = list(discovery.find(paths or [Path(".")]))
    if not found:
        click.echo("jaxhints: no notebooks or Python files here", err=True)
    least = MANY_TRACED if options.trace else MANY
    with contextlib.closing(check_paths(found, options, jobs)) as results:
        return list(_with_progress(results, len(found), least))


def _with_progress(results: Iterator[FileResult], total: int, least: int) -> Iterator[FileResult]:
    """Shows on standard error how far a long run is; nothing where that is no terminal."""
    if total < least:
        yield from results
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(results, "Checking", total=total, console=console, transient=True,
                     disable=not console.is_terminal)


def _standard_input(name: str | None, options: Options) -> FileResult:
    from . import files
    from .checker import FileResult, check_source

    data = sys.stdin.buffer.read()
    try:
        source = files.decode(data, name or STANDARD_INPUT, None if name is None else Path(name))
    except HintsError as error:
        return FileResult(name or STANDARD_INPUT, error=error.message)
    if not options.trace:
        return check_source(source, options)
    from .traced import check_one

    return check_one(source, options)


def _write(results: Iterable[FileResult], fix: bool) -> None:
    for result in results if fix else ():
        if result.changed:
            try:
                result.after.write()
            except OSError as error:
                result.error = f"{result.name} cannot be written: {error.strerror or error}."


def _show_diff(results: Iterable[FileResult]) -> None:
    from .report import text

    for result in results:
        if result.changed:
            for line in text.diff(result):
                click.echo(line)


def _say(results: Sequence[FileResult], brief: bool, unsafe: bool) -> None:
    """Failures and notes, each once, and the summary where people read; machines read standard output."""
    from .report import text

    errors = [line for result in results for line in result.error.splitlines()]
    for line in dict.fromkeys([*errors, *(note for result in results for note in result.notes)]):
        click.echo(f"jaxhints: {line}", err=True)
    if not brief:
        click.echo(text.summary(results, unsafe))


def _status(results: Sequence[FileResult], diff: bool) -> int:
    if any(result.error for result in results):
        return FAILED
    found = any(result.changed if diff else result.diagnostics for result in results)
    return FOUND if found else 0


def _quiet_collector() -> None:
    """Syntax trees are many objects and no garbage: not looking for any, at the end neither, saves a quarter of the time."""
    import atexit
    import gc

    gc.disable()
    atexit.register(gc.freeze)


if __name__ == "__main__":
    main()
