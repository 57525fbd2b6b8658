"""Pipelines as text: parse and print are inverse, and what cannot run is refused when it is written."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r2s.compiler.errors import UsageError
from r2s.compiler.pipeline import Pipeline

pytestmark = pytest.mark.usefixtures("plugin")

SOME_TEXT = st.text(st.characters(codec="utf-8", exclude_characters='"{}|', exclude_categories=("C",)), min_size=1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(how=SOME_TEXT, by=st.floats(allow_nan=False, allow_infinity=False), loud=st.booleans())
def test_prints_back_what_it_parsed(how: str, by: float, loud: bool) -> None:
    text = f'tiny_ingest | misbehave{{how="{how}" by={by!r} loud={str(loud).lower()}}}'
    once = Pipeline.parse(text)

    assert Pipeline.parse(str(once)) == once
    assert (once.steps[1].how, once.steps[1].by, once.steps[1].loud) == (how, by, loud)


def test_a_length_of_a_pass_needs_its_unit() -> None:
    pipeline = Pipeline.parse("ingest | surface | simplify{max_error=0.2mm}")

    assert str(pipeline) == "ingest | surface | simplify{max_error=0.0002m}"
    assert Pipeline.parse(str(pipeline)) == pipeline
    for text in ("0.2", "-1mm", "1e300m"):
        with pytest.raises(UsageError):
            Pipeline.parse(f"ingest | surface | simplify{{max_error={text}}}")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.floats(1e-9, 9.0))
def test_every_length_prints_so_that_it_parses_to_the_same_bits(metres: float) -> None:
    """A rebuild takes its options from this text; one bit more or less would be another build."""
    changes = [("simplify", "max_error", f"{metres!r}m")]
    pipeline = Pipeline.parse("ingest | surface | simplify").with_options(changes)

    assert pipeline.steps[2].max_error == metres
    assert Pipeline.parse(str(pipeline)) == pipeline


def test_default_options_are_not_printed() -> None:
    assert str(Pipeline.parse("tiny_ingest{factor=1.0}|misbehave")) == "tiny_ingest | misbehave"


def test_lengths_take_units_and_print_in_metres() -> None:
    pipeline = Pipeline.parse("tiny_ingest | misbehave{by=0.5mm}")

    assert pipeline.steps[1].by == 0.0005
    assert str(pipeline) == "tiny_ingest | misbehave{by=0.0005}"


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("tiny_ingest | nonsense", "R2S002", "misbehave"),
        ("misbehave", "R2S007", "wants Scan"),
        ("tiny_ingest | tiny_ingest", "R2S007", "tiny_ingest makes Scan"),
        ("tiny_ingest{factr=2}", "R2S005", "did you mean 'factor'"),
        ("tiny_ingest{factor=two}", "R2S250", "two"),
        ("tiny_ingest{factor=nan}", "R2S006", "finite"),
        ("tiny_ingest{factor}", "R2S004", "option=value"),
        ("tiny_ingest{factor=1", "R2S004", "name{option=value"),
        ("tiny_ingest | misbehave{loud=yes}", "R2S006", "true or false"),
        ("", "R2S004", "name{option=value"),
    ],
)
def test_says_what_is_wrong(text: str, code: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        Pipeline.parse(text)

    assert caught.value.code == code
    assert says in str(caught.value)


def test_options_reach_only_passes_of_the_pipeline() -> None:
    pipeline = Pipeline.parse("tiny_ingest")

    assert pipeline.with_options([("tiny_ingest", "factor", "2")]).steps[0].factor == 2.0
    with pytest.raises(UsageError, match="R2S003"):
        pipeline.with_options([("misbehave", "by", "1mm")])


def test_upto_keeps_the_named_pass() -> None:
    pipeline = Pipeline.parse("tiny_ingest | misbehave")

    assert pipeline.upto("tiny_ingest").names() == ("tiny_ingest",)
    with pytest.raises(UsageError, match="R2S003"):
        pipeline.upto("emit")
