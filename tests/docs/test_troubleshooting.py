"""docs/troubleshooting.md and ``explain``: both say what the catalogue says, and the catalogue what the code does."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests_support import ROOT

from r2s.compiler import errors
from r2s.compiler.cli import cli
from r2s.compiler.codes import GROUPS, Code, catalogue, codes_of
from r2s.compiler.codes._symptoms import SYMPTOMS
from r2s.compiler.codes.page import markdown
from r2s.compiler.errors import PassFailedError, R2SError, UsageError

PAGE = ROOT / "docs" / "troubleshooting.md"
KNOWN = catalogue()
SEVERITIES = {
    "note": {"note"},
    "warning": {"warning"},
    "note or warning": {"note", "warning"},
    "error": {"error"},
}


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == markdown(), "run make docs"


def test_the_page_explains_every_code_once_below_its_stage() -> None:
    chapters = re.split(r"^## .*\(R2S(\d)xx\)$", PAGE.read_text(), flags=re.MULTILINE)
    told = {digit: re.findall(r"^### .*</a>(R2S\d{3}): ", text, re.MULTILINE) for digit, text in _pairs(chapters[1:])}

    assert told == {group.digit: [code.name for code in codes_of(group)] for group in GROUPS}


def _pairs(parts: list[str]) -> list[tuple[str, str]]:
    return list(zip(parts[::2], parts[1::2], strict=True))


def test_every_symptom_leads_to_codes_that_exist() -> None:
    assert {name for symptom in SYMPTOMS for name in symptom.codes} <= set(KNOWN)
    assert {name[3] for symptom in SYMPTOMS for name in symptom.codes} == {group.digit for group in GROUPS}


@pytest.mark.parametrize("code", KNOWN.values(), ids=list(KNOWN))
def test_texts_teach_in_whole_sentences(code: Code) -> None:
    assert re.fullmatch(r"[a-z0-9A-Z].*[^.]", code.title), "a title is no sentence"
    for text in (code.meaning, code.remedy):
        assert text == " ".join(text.split()), "a blank too many, or a line end"
        assert re.match(r"[A-Z0-9_a-z-]", text), text
        assert text[-1] in ".?", text
    assert not re.search(r"R2S\d{3}", code.title + code.meaning), "say it in words"


def explained(*words: str) -> str:
    result = CliRunner().invoke(cli, ["explain", *words], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_explain_lists_the_stages() -> None:
    listed = explained().splitlines()

    assert [line.split()[0] for line in listed[: len(GROUPS)]] == [group.name for group in GROUPS]
    assert sum(int(line.split()[2]) for line in listed[: len(GROUPS)]) == len(KNOWN)


@pytest.mark.parametrize("word", [word for group in GROUPS for word in (group.name, *group.also)])
def test_explain_lists_the_codes_of_a_stage(word: str) -> None:
    group = next(g for g in GROUPS if word in (g.name, *g.also))

    assert re.findall(r"^R2S\d{3}", explained(word), re.MULTILINE) == [code.name for code in codes_of(group)]


def test_a_word_means_one_stage() -> None:
    words = [word for group in GROUPS for word in (group.name, *group.also)]

    assert len(words) == len(set(words))


def test_explain_tells_one_code_with_its_ending() -> None:
    code = KNOWN["R2S641"]

    assert explained("r2s641") == (
        f"R2S641: over budget (error, exit code 4)\n\n{code.meaning}\n\nWhat to do: {code.remedy}\n"
    )


@pytest.mark.parametrize(("word", "hint"), [("R2S9044", "R2S904"), ("surfaec", "surface"), ("zzz", "lists the stages")])
def test_explain_of_what_does_not_exist(word: str, hint: str) -> None:
    result = CliRunner().invoke(cli, ["explain", word])

    assert isinstance(result.exception, UsageError)
    assert result.exception.code == "R2S025"
    assert repr(word) in result.exception.message
    assert hint in result.exception.hint


def _raised() -> list[tuple[str, str, str, str]]:
    """Every place where the code is a literal beside its severity, from the source: code, severity, class, place."""
    classes = {name for name in dir(errors) if name.endswith("Error")} | {"DamagedEntryError"}
    found = []
    for folder in ("compiler", "passes"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if not isinstance(node, ast.Call) or not node.args:
                    continue
                name, place = ast.unparse(node.func), f"{path.name}:{node.lineno}"
                words = [a.value if isinstance(a, ast.Constant) else None for a in node.args[:2]]
                if name in classes and _is_code(words[0]):
                    found.append((str(words[0]), "error", name, place))
                if name == "Diagnostic" and len(words) == 2 and _is_code(words[1]) and words[0]:
                    found.append((str(words[1]), str(words[0]), "", place))
    return found


def _is_code(word: object) -> bool:
    return isinstance(word, str) and re.fullmatch(r"R2S\d{3}", word) is not None


def test_severity_and_exit_code_are_those_of_the_source() -> None:
    raised = _raised()
    slips = []
    for code, severity, cls, place in raised:
        known = KNOWN.get(code)
        if known is None:
            slips.append(f"{place} raises {code}, which is not in compiler/codes")
        elif severity not in SEVERITIES[known.severity]:
            slips.append(f'{place} raises {code} as a {severity}; its entry in compiler/codes says "{known.severity}"')
        elif cls and known.exit_code != _class(cls).exit_code:
            slips.append(f"{place} raises {code} as {cls}; its entry in compiler/codes says {known.exit_code}")

    assert len({code for code, *_ in raised}) > 150
    assert slips == []


def _class(name: str) -> type[R2SError]:
    return getattr(errors, name, PassFailedError)  # DamagedEntryError lives beside the store and is one of these


def test_every_code_is_spoken_somewhere() -> None:
    source = "".join(
        path.read_text()
        for folder in ("compiler", "passes")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "codes" not in Path(path).parent.name
    )

    assert [name for name in KNOWN if name not in source] == []
