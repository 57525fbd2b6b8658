"""``--monte-carlo`` on the brick: stopped and gone on with, failing draws, and a report that says what was done."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from corruptions import Ended

from r2s.compiler import manager
from r2s.compiler.errors import InvalidInputError

Command = Callable[..., Ended]

BUILD = ("brick.obj", "--calipers", "brick.yaml", "--device", "structured_light", "--passes")
BUILD = (*BUILD, "ingest | surface | enclose | scale", "--stop-after", "scale")


@dataclass
class Watch:
    """The draws that were laid onto a scan, by their offset, and what ends the next one, told how many there were."""

    asked: list[float] = field(default_factory=list)
    stop: Callable[[int], BaseException | None] = lambda _: None


@pytest.fixture
def watch(command: Command, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Watch the worker, which *command* has put into this process."""
    found = Watch()

    class Watched(manager.Worker):
        def run(self, name: str, request: dict[str, Any], tick: Callable[[float], None] | None = None) -> Any:
            if name == "perturb":
                end = found.stop(len(found.asked))
                if end is not None:
                    raise end
                found.asked.append(request["options"]["offset"])
            return super().run(name, request, tick)

    monkeypatch.setattr(manager, "Worker", Watched)
    return found


def spread(ended: Ended) -> Any:
    return json.loads(ended.out)["report"]["uncertainty"]["monte_carlo"]


def test_what_was_stopped_goes_on_where_it_was(command: Command, watch: Watch) -> None:
    watch.stop = lambda made: KeyboardInterrupt() if made == 3 else None
    stopped = command(*BUILD, "--monte-carlo", "5", "--seed", "11")
    first = list(watch.asked)
    watch.stop = lambda _: None
    done = command(*BUILD, "--monte-carlo", "5", "--seed", "11", "--json")
    again = command(*BUILD, "--monte-carlo", "5", "--seed", "11", "--json")

    assert (stopped.exit_code, stopped.errors) == (130, ["error: interrupted"])
    assert len(first) == 3
    assert len(set(watch.asked)) == len(watch.asked) == 5  # the first three came from the store
    assert (spread(done)["n"], spread(done)["made"], spread(done)["seed"]) == (5, 5, 11)
    assert done.out == again.out


def test_another_seed_and_more_draws_are_other_draws_and_the_same_ones(command: Command, watch: Watch) -> None:
    command(*BUILD, "--monte-carlo", "2", "--seed", "21")
    two = list(watch.asked)
    command(*BUILD, "--monte-carlo", "3", "--seed", "21")
    three = watch.asked[2:]
    command(*BUILD, "--monte-carlo", "2", "--seed", "22")

    assert len(two) == 2
    assert len(three) == 1
    assert len(set(watch.asked)) == 5


def test_draws_that_fail_leave_the_others_and_a_warning(command: Command, watch: Watch) -> None:
    broken = InvalidInputError("R2S403", "too much of the surface is missing")
    failed = iter([broken, None, None])
    watch.stop = lambda _: next(failed)
    ended = command(*BUILD, "--monte-carlo", "3", "--seed", "31", "--json")

    assert ended.exit_code == 0
    assert (spread(ended)["n"], spread(ended)["made"]) == (3, 2)
    assert "1 of 3 recompiles under drawn errors failed with R2S403: too much" in ended.line("R2S654")


def test_the_screen_has_the_table_and_the_report_what_was_drawn_and_what_not(command: Command, watch: Watch) -> None:
    shown = command(*BUILD, "--monte-carlo", "2", "--seed", "21")
    found = spread(command(*BUILD, "--monte-carlo", "2", "--seed", "21", "--json"))

    assert "monte    2 recompiles under drawn errors, seed 21: spread seen, and predicted by the rows" in shown.out
    assert {"extent_x", "extent_y", "extent_z", "volume", "mass"} <= set(found["outputs"])
    assert {"ingest.offset", "ingest.drift.x", "scale.fit", "mass.balance"} <= set(found["drawn"])
    assert not set(found["drawn"]) & set(found["left_out"])
    assert found["pipeline"] == "ingest | perturb | surface | enclose | scale"


def test_a_build_without_it_has_none(command: Command, watch: Watch) -> None:
    assert spread(command(*BUILD, "--json")) is None
    assert watch.asked == []
