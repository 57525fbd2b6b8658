"""The YAML loader: texts with places, and refusals in bounded time and memory."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.strict_yaml import NODE_LIMIT, SIZE_LIMIT, parse_yaml
from r2s.compiler.yaml_tree import ListNode, MapNode, Mark, Node, TextNode


def refusal(data: bytes | str) -> InvalidInputError:
    """Return the error that *data* gives."""
    with pytest.raises(InvalidInputError) as caught:
        parse_yaml(data.encode() if isinstance(data, str) else data, "sheet.yaml")
    return caught.value


def plain(node: Node) -> object:
    """Return the tree as lists, dicts and texts."""
    match node:
        case TextNode():
            return node.text
        case ListNode():
            return [plain(item) for item in node.items]
        case MapNode():
            return {key.text: plain(value) for key, value in node.entries}


def test_nothing_is_resolved() -> None:
    """What YAML 1.1 makes into truth values, octals and base 60 stays the text that it is."""
    root = parse_yaml(b"[yes, 050, 1:20, 8e1, .nan, ~, 2020-01-01]", "s").root

    assert plain(root) == ["yes", "050", "1:20", "8e1", ".nan", "~", "2020-01-01"]


def test_every_node_knows_its_place() -> None:
    """Line and column count from 1 and survive a byte order mark and CRLF."""
    root = parse_yaml("\ufeffa: 1\r\nb:\r\n  - {c: x}\r\n".encode(), "s").root
    assert isinstance(root, MapNode)
    (a, one), (b, listed) = root.entries
    assert isinstance(listed, ListNode)
    assert isinstance(listed.items[0], MapNode)
    ((c, x),) = listed.items[0].entries

    assert [n.mark for n in (a, one, b, c, x)] == [Mark(1, 1), Mark(1, 4), Mark(2, 1), Mark(3, 6), Mark(3, 9)]


def test_quotes_make_a_text() -> None:
    """A quoted scalar says so; the field decides what that means."""
    root = parse_yaml(b"[80, '80', \"80\"]", "s").root
    assert isinstance(root, ListNode)

    assert [item.plain for item in root.items if isinstance(item, TextNode)] == [True, False, False]


@pytest.mark.parametrize(
    ("text", "code", "line", "names"),
    [
        ("a: 1\nb: 2\na: 3", "R2S205", 3, "'a'"),
        ("{a: 1, a: 2}", "R2S205", 1, "'a'"),
        ("a: 1\nb: !!float 2", "R2S207", 2, "float"),
        ("a: 1\nb: !x {c: 1}", "R2S207", 2, "!x"),
        ("a: 1\n---\nb: 2", "R2S208", 2, "second"),
        ("a: &x 1\nb: &x 2", "R2S206", 2, "'x'"),
        ("a: 1\nb: &x [*x]", "R2S206", 2, "'*x'"),
        ("a: 1\nb: *x", "R2S204", 2, "*x"),
        ("a: 1\n<<: 2", "R2S210", 2, "<<"),
        ("a: &x {b: 1}\nc:\n  <<: [*x, 2]", "R2S210", 3, "<<"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n  <<: *x", "R2S205", 4, "<<"),
        ("a: 1\n{value: 80,0, unit: mm}", "R2S204", 2, ""),
        ("a:\n- {value: 80,0, unit: mm}", "R2S215", 2, "'80,0'"),
        ("a:\n- {value: 80,5 mm, role: check}", "R2S215", 2, "'80,5 mm'"),
        ("a: 1\n? [b]\n: c", "R2S213", 2, "list"),
        ("a: 1\nb: {~: c}", "R2S213", 2, "key"),
        ("a: 1\n\tb: 2", "R2S204", 2, ""),
        ("a: 1\nb: [1, 2", "R2S204", 2, ""),
        ('a: 1\nb: "\\UFFFFFFFF"', "R2S204", 2, "escape"),
        ('a: 1\nb: "\\ud800"', "R2S204", 2, "surrogate"),
        ("a: 1\nb: \x07", "R2S204", 2, "control"),
    ],
)
def test_a_refusal_names_place_and_text(text: str, code: str, line: int, names: str) -> None:
    """Code, line and the offending text, in one line."""
    error = refusal(text)

    assert error.code == code
    assert error.message.startswith(f"sheet.yaml:{line}:")
    assert names in error.message
    assert "\n" not in str(error)


def test_an_empty_flow_key_that_is_no_number_is_not_a_comma() -> None:
    """Only digits behind the comma look like half a number."""
    assert plain(parse_yaml(b"{a: 1, b}", "s").root) == {"a": "1", "b": ""}


def test_merge_keys_fill_what_a_mapping_leaves_out() -> None:
    """Own keys win, then the first of several sources."""
    text = b"a: &a {x: 1, y: 1}\nb: &b {x: 2, z: 2}\nc: {<<: [*a, *b], y: 0}"
    document = parse_yaml(text, "s")

    assert plain(document.root) == {
        "a": {"x": "1", "y": "1"},
        "b": {"x": "2", "z": "2"},
        "c": {"y": "0", "x": "1", "z": "2"},
    }
    assert document.used_anchors == {"a", "b"}


@pytest.mark.parametrize("data", [b"", b"\n", b"# only a remark\n", b"~", b"---\n...\n", b"\xef\xbb\xbf"])
def test_an_empty_file_says_so(data: bytes) -> None:
    """Nothing at all is no sheet."""
    assert refusal(data).code == "R2S209"


@pytest.mark.parametrize(
    ("data", "offset", "line"),
    [(b"a: 1\nb: b\xfcgel", 9, 2), (b"\xef\xbb\xbfa: \xff", 6, 1), ("a: 1".encode("utf-16"), 0, 1)],
)
def test_other_encodings_give_the_byte_offset(data: bytes, offset: int, line: int) -> None:
    """The offset is the file's, a byte order mark counted."""
    error = refusal(data)

    assert error.code == "R2S202"
    assert f"byte {offset} (0x{data[offset]:02x})" in error.message
    assert error.message.startswith(f"sheet.yaml:{line}:")


def bomb(levels: int) -> str:
    """Return nested aliases that stand for 10**levels values."""
    lines = ["a0: &a0 [1,1,1,1,1,1,1,1,1,1]"]
    lines += [f"a{k}: &a{k} [{','.join([f'*a{k - 1}'] * 10)}]" for k in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (bomb(12), "R2S206"),
        ("[" * 100_000, "R2S203"),
        ("- " * 5_000 + "x", "R2S203"),
        ("a: [1, " * 3_000, "R2S203"),
        ("- 1\n" * (NODE_LIMIT + 1), "R2S203"),
        ("#" * (SIZE_LIMIT + 1), "R2S203"),
        ("\n" * (SIZE_LIMIT - 10) + "[", "R2S204"),
    ],
)
def test_hostile_files_are_refused_soon(text: str, code: str) -> None:
    """Towers and walls of text cost seconds at most, a bomb far less."""
    started = time.process_time()

    assert refusal(text).code == code
    assert time.process_time() - started < (1 if code == "R2S206" else 10)


def test_a_bomb_costs_no_memory() -> None:
    """A hundred thousand million values are refused within a few megabytes."""
    tracemalloc.start()
    refusal(bomb(11))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 10e6


def test_limits_leave_room_for_a_large_sheet() -> None:
    """A list just within the limit still loads."""
    root = parse_yaml(("- 1\n" * (NODE_LIMIT - 1)).encode(), "s").root

    assert isinstance(root, ListNode)
    assert len(root.items) == NODE_LIMIT - 1


_TREES = st.recursive(
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9 _.+-]{0,10}", fullmatch=True).map(str.strip).filter(bool),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4)
        | st.dictionaries(st.from_regex(r"[a-z]{1,6}", fullmatch=True), inner, min_size=1, max_size=4)
    ),
    max_leaves=12,
)


def flow(tree: object) -> str:
    """Write a tree in flow style, its texts in quotes."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{k}: {flow(v)}" for k, v in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(flow, tree)) + "]"
    return f"'{tree}'"


@settings(max_examples=60, deadline=None)
@given(_TREES)
def test_any_tree_reads_back(tree: object) -> None:
    """What is written in flow style comes back as it was."""
    assert plain(parse_yaml(flow(tree).encode(), "s").root) == tree


@settings(max_examples=150, deadline=2000)
@given(st.binary(max_size=200) | st.text("ab:,-[]{}&*!|>'\"%@`#?\\ \n\t0129.<~", max_size=120).map(str.encode))
def test_any_bytes_give_a_tree_or_one_plain_error(data: bytes) -> None:
    """No other exception gets out."""
    caught: InvalidInputError | None = None
    try:
        parse_yaml(data, "s")
    except InvalidInputError as error:
        caught = error
    if caught is not None:
        assert caught.code.startswith("R2S2")
        assert str(caught).isprintable()
