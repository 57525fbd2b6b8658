"""
The mutation run itself: a strong test kills, a weak one does not, and what no test runs is named so.

The subject stands in a repository of its own, laid out like this one.
"""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests_support import ROOT

from mutation.mutant import Mutant
from mutation.population import PACKAGES, mutants_of
from mutation.reach import measure
from mutation.sample import allot, draw
from mutation.score import Score, scores, weighted
from mutation.scratch import Scratch
from mutation.trial import Result, tried

SUBJECT = '''"""A limit."""

LIMIT = 10


def within(length: int) -> bool:
    """Tell whether *length* is within the limit."""
    return length <= LIMIT


def waits(count: int) -> int:
    while count > 0:
        count -= 1
    return count


def alone(length: int) -> int:
    return length + 1
'''
STRONG = """
from r2s.compiler.subject import within
def test_the_boundary() -> None:
    assert within(10)
    assert not within(11)
"""
WEAK = """
from r2s.compiler.subject import waits, within
def test_something() -> None:
    assert within(1) is not None
def test_it_ends() -> None:
    assert waits(3) == 0
"""
IN_A_PROCESS = """
import subprocess, sys
def test_a_child_is_seen() -> None:
    code = "from r2s.compiler.subject import within; assert within(10) and not within(11)"
    subprocess.run([sys.executable, "-c", code], check=True)
"""


TESTS = {"strong": STRONG, "weak": WEAK, "child": IN_A_PROCESS}


class Laboratory:
    """A repository of the subject and its tests, measured once."""

    def __init__(self, root: Path, scratch: Scratch) -> None:
        self.root, self._scratch = root, scratch
        self.mutants = mutants_of("compiler/subject.py", SUBJECT.encode())
        self.reach = measure(scratch, root, root / "reach.json", slow=False, say=lambda _: None)

    def mutant(self, scope: str, operator: str, after: str) -> Mutant:
        """Return the one mutant that is told so."""
        (found,) = (m for m in self.mutants if (m.scope, m.operator, m.after) == (scope, operator, after))
        return found

    def tried(self, broken: Mutant, *files: str) -> Result:
        """Return what came of *broken* if there were only the tests of *files*."""
        names = tuple(f"tests/test_{file}.py" for file in files)
        chosen = [test for test in self.reach.tests(broken) if test.name.startswith(names)]
        return tried(self._scratch, broken, chosen, allowed=60)


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laboratory]:
    root = tmp_path_factory.mktemp("laboratory")
    for name in ("compiler", "passes", "fixtures/virtual_scanner", "tests"):
        (root / name).mkdir(parents=True)
    (root / "compiler" / "__init__.py").touch()
    (root / "compiler" / "subject.py").write_text(SUBJECT)
    (root / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = ["-p", "no:dash"]\n')
    shutil.copytree(ROOT / "tests" / "mutation", root / "tests" / "mutation")
    for name, text in TESTS.items():
        (root / "tests" / f"test_{name}.py").write_text(text)
    with Scratch(root, libraries=["pytest", "hypothesis", "xdist.plugin"]) as scratch:
        yield Laboratory(root, scratch)


@pytest.mark.slow  # the laboratory takes ten seconds
def test_a_strong_test_kills_what_a_weak_one_lets_live(laboratory: Laboratory) -> None:
    boundary = laboratory.mutant("within", "comparison", "(length < LIMIT)")
    assert boundary.before == "length <= LIMIT"

    survived = laboratory.tried(boundary, "weak")
    assert (survived.outcome, survived.dead, survived.tests, survived.left) == ("survived", False, 1, 0)
    killed = laboratory.tried(boundary, "weak", "strong")
    assert (killed.outcome, killed.dead) == ("killed", True)
    assert killed.by == "tests/test_strong.py::test_the_boundary"
    assert laboratory.tried(boundary).outcome == "unseen"
    assert laboratory.tried(boundary, "weak").outcome == "survived"  # the edit before is gone
    assert (laboratory.root / "compiler" / "subject.py").read_text() == SUBJECT


@pytest.mark.slow  # the laboratory takes ten seconds
def test_each_mutant_meets_the_tests_that_run_its_line(laboratory: Laboratory) -> None:
    child, strong = "tests/test_child.py::test_a_child_is_seen", "tests/test_strong.py::test_the_boundary"
    something, ends = "tests/test_weak.py::test_something", "tests/test_weak.py::test_it_ends"
    met = {m.scope: {t.name for t in laboratory.reach.tests(m)} for m in laboratory.mutants}
    assert met["within"] == {child, strong, something}
    assert met["waits"] == {ends}
    assert met[""] == {child, strong, something, ends}  # the limit is whoever's that uses the module
    assert met["alone"] == set()
    assert laboratory.tried(laboratory.mutant("alone", "arithmetic", "(length - 1)")).outcome == "unseen"


@pytest.mark.slow  # the laboratory takes ten seconds
def test_a_mutant_that_never_ends_is_stopped(laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mutation.trial._START", 3.0)
    found = laboratory.tried(laboratory.mutant("waits", "deletion", "pass"), "weak")
    assert (found.outcome, found.dead) == ("stopped", True)


def test_a_mutant_of_another_source_is_refused() -> None:
    broken = mutants_of("compiler/subject.py", SUBJECT.encode())[-1]
    with pytest.raises(ValueError, match="is not the source"):
        broken.apply(SUBJECT.replace("+ 1", "+ 3").encode())


@pytest.mark.parametrize(
    ("source", "afters"),
    [
        ("def f(a, b):\n    return a < b\n", ["return None", "(a <= b)"]),
        ("def f(a, b) -> bool:\n    return a and not b\n", ["return False", "(a or not b)", "(b)"]),
        ("def f(a):\n    if a:\n        raise ValueError('no', 1)\n", ["(not a)", "pass"]),
        ("def f(a):\n    a += 2\n    a[0] = 1.5\n", ["a -= 2", "pass", "3", "pass", "1", "2.25"]),
        ("def f(a):\n    log(max(a))\n    return\n", ["pass", "min"]),
        ("def f(a):\n    return a.min(axis=0)['x']\n", ["return None", "'xX'", "(a.max)", "1"]),
        ("def f(a):\n    raise E('R2S123', f'{a + 1}')\n", ["pass", "'R2S123X'"]),
        (
            'def f(a: "int" = -1) -> "str":\n    """Docs 1."""\n    assert a == 1\n    return f"{a + 1}"\n',
            ["2", "return None"],
        ),
        ("x: Literal[1] = 1\n__all__ = ['x']\nimport a\n", ["2"]),
        ("@cache(maxsize=4)\ndef f(a):\n    return a % 'x'\n", ["return None"]),
        ("if __name__ == '__main__':\n    f(1)\n", []),
        ("ok = ['é', a - b]\n", ["(a + b)"]),
    ],
)
def test_what_is_broken_and_what_is_left_alone(source: str, afters: list[str]) -> None:
    assert sorted(m.after for m in mutants_of("compiler/x.py", source.encode())) == sorted(afters)


def test_mutants_of_this_project_are_python_and_differ() -> None:
    files = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))[::6]
    everything = {path: mutants_of(path.relative_to(ROOT).as_posix(), path.read_bytes()) for path in files}
    assert sum(map(bool, everything.values())) > 0.8 * len(files)
    names = [m.name for found in everything.values() for m in found]
    assert len(set(names)) == len(names)
    for path, found in everything.items():
        source = path.read_bytes()
        for broken in found[::40]:
            assert ast.dump(ast.parse(broken.apply(source))) != ast.dump(ast.parse(source))


def test_a_draw_is_in_proportion_and_repeatable() -> None:
    sizes = {"big": 700, "small": 299, "tiny": 1}
    assert allot(sizes, 100) == {"big": 70, "small": 29, "tiny": 1}
    assert allot(sizes, 1) == {"big": 1, "small": 1, "tiny": 1}
    assert allot(sizes, 5000) == sizes
    everything = {"compiler/subject.py": mutants_of("compiler/subject.py", SUBJECT.encode())}
    first = draw(everything, 5, seed=1)
    assert len({m.name for m in first}) == 5
    assert draw(everything, 5, seed=1) == first
    assert draw(everything, 5, seed=2) != first
    modules = {f"compiler/{k}.py": mutants_of(f"compiler/{k}.py", SUBJECT.encode()) for k in range(9)}
    few, each = draw(modules, 4, seed=1), draw(modules, 9, seed=1)
    assert len({m.name for m in few}) == 4
    assert {m.module for m in each} == set(modules)


def test_scores_and_their_intervals() -> None:
    found = scores([("a", True), ("a", False), ("b", True), ("b", True)])
    assert list(found) == ["a", "b", "total"]
    assert found["total"] == Score(3, 4)
    # by hand from Wilson's formula: all of ten killed leaves n / (n + z^2)
    low, high = Score(10, 10).interval
    assert (low, high) == pytest.approx((10 / (10 + 1.959964**2), 1))
    assert Score(0, 10).interval == pytest.approx((0, 1.959964**2 / (10 + 1.959964**2)))
    assert weighted({"a": Score(1, 2), "b": Score(1, 1)}, {"a": 30, "b": 10}) == pytest.approx(0.625)
