"""How often a check was asked: other builds count, the same one does not, and no damage to the log ends a build."""

from __future__ import annotations

from pathlib import Path

import pytest

from r2s.compiler.checklog import Asked, scored


def test_a_fresh_check_has_judged_nothing(tmp_path: Path) -> None:
    asked = scored(tmp_path, "scan", "check", "build", "PASS")

    assert asked == Asked(0, 0)
    assert asked.diagnostics == ()


@pytest.mark.parametrize("verdict", ["FAIL", "INCONCLUSIVE"])
def test_a_check_that_turned_a_build_down_says_so_to_the_next(tmp_path: Path, verdict: str) -> None:
    scored(tmp_path, "scan", "check", "one", verdict)
    again = scored(tmp_path, "scan", "check", "one", verdict)
    scored(tmp_path, "scan", "check", "two", "PASS")
    third = scored(tmp_path, "scan", "check", "three", "PASS")

    assert again == Asked(0, 0)  # nothing was chosen between
    assert third == Asked(2, 1)
    (note,) = third.diagnostics
    assert (note.code, note.severity) == ("R2S636", "note")
    assert "judged 2 other builds of this scan and turned 1 down" in note.message


def test_builds_that_all_pass_are_counted_in_silence(tmp_path: Path) -> None:
    scored(tmp_path, "scan", "check", "one", "PASS")
    second = scored(tmp_path, "scan", "check", "two", "PASS")

    assert second == Asked(1, 0)
    assert second.diagnostics == ()


@pytest.mark.parametrize(("scan", "check"), [("other", "check"), ("scan", "other")])
def test_another_scan_or_another_reading_starts_anew(tmp_path: Path, scan: str, check: str) -> None:
    scored(tmp_path, "scan", "check", "one", "FAIL")

    assert scored(tmp_path, scan, check, "two", "PASS") == Asked(0, 0)


def test_a_damaged_log_is_no_log(tmp_path: Path) -> None:
    scored(tmp_path, "scan", "check", "one", "FAIL")
    (entry,) = tmp_path.rglob("one.json")
    for damage in (b"", b"{", b"[]", b'{"other": 1}', b"\xff"):
        entry.write_bytes(damage)
        assert scored(tmp_path, "scan", "check", "two", "PASS") == Asked(0, 0)
    (tmp_path / "file").write_text("")
    assert scored(tmp_path / "file", "scan", "check", "two", "PASS") == Asked(0, 0)
