"""
YAML for people who write numbers by hand: a tree of texts with their places, and none of YAML's surprises.

PyYAML's parser gives events; this module builds the tree itself and resolves nothing, so ``yes``, ``050`` and ``1:20``
stay the texts that they are until a field says what it wants.  Refused: keys given twice, tags, several documents,
decimal commas that flow style would split, aliases that grow, and files that are large, deep, or not UTF-8.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.wording import shown
from r2s.compiler.yaml_tree import Document, ListNode, MapNode, Mark, Node, TextNode

if TYPE_CHECKING:
    import yaml

SIZE_LIMIT = 1_000_000
DEPTH_LIMIT = 24
NODE_LIMIT = 10_000


def parse_yaml(data: bytes, name: str) -> Document:
    """
    Return the tree of a YAML file; *name* is what messages call it.

    Raises InvalidInputError (R2S202 to R2S210, R2S215) with line and column.
    """
    import yaml

    text = _decoded(data, name)
    composer = _Composer(name)
    parser: Any = None
    try:
        parser = yaml.SafeLoader(text)
        while parser.check_event():
            composer.take(parser.get_event())
    except yaml.reader.ReaderError as error:
        mark = _mark_at(text, error.position)
        composer.fail("R2S204", mark, f"control character {error.character!r}", hint="remove it")
    except yaml.MarkedYAMLError as error:
        problem = error.problem_mark or error.context_mark
        mark = Mark(problem.line + 1, problem.column + 1) if problem else Mark(1, 1)
        said = ", ".join(part for part in (error.context, error.problem) if part)
        composer.fail("R2S204", mark, f"this is no YAML: {_printable(said)}", hint=_syntax_hint(said))
    except (ValueError, OverflowError) as error:
        if isinstance(error, InvalidInputError):
            raise
        # The parser converts some digits without a guard: \UFFFFFFFF is no character, %YAML 1.<5000 digits> no number.
        mark = Mark(parser.line + 1, parser.column + 1) if parser is not None else Mark(1, 1)
        composer.fail("R2S204", mark, "this is no YAML: a number out of range in an escape or directive")
    return composer.document()


def _decoded(data: bytes, name: str) -> str:
    if len(data) > SIZE_LIMIT:
        raise InvalidInputError(
            "R2S203",
            f"{name} holds {len(data)} bytes, over the {SIZE_LIMIT} that a sheet may have",
            hint="is this the caliper sheet?",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The codec counts from behind a byte order mark; the file's own offset is wanted.
        start = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        line = data.count(b"\n", 0, start) + 1
        hint = "save it as UTF-8"
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            hint = "it begins like UTF-16; save it as UTF-8"
        raise InvalidInputError(
            "R2S202", f"{name}:{line}: byte {start} (0x{data[start]:02x}) is not UTF-8", hint=hint
        ) from None


def _mark_at(text: str, position: int) -> Mark:
    before = text[:position]
    return Mark(before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)[:160]


def _syntax_hint(said: str) -> str:
    if "'\\t'" in said:
        return "indent with spaces, not tabs"
    if "undefined alias" in said:
        return "quote a text that begins with *"
    return "check brackets, colons and indentation on this line and the one before"


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not come yet."""

    kind: str
    mark: Mark
    anchor: str | None
    flow: bool
    nodes: list[Node] = field(default_factory=list)
    size: int = 1


class _Composer:
    """Builds the tree from events without recursion, so that depth is a limit and not a crash."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._root: Node | None = None
        self._documents = 0
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node | None] = {}
        self._used: set[str] = set()

    def fail(self, code: str, mark: Mark, message: str, *, hint: str = "") -> NoReturn:
        raise InvalidInputError(code, f"{self._name}:{mark.line}:{mark.column}: {message}", hint=hint)

    def document(self) -> Document:
        if self._root is None or (isinstance(self._root, TextNode) and self._root.empty):
            raise InvalidInputError(
                "R2S209", f"{self._name} is empty: no measurements", hint="begin with 'schema: 1' and 'measurements:'"
            )
        return Document(self._name, self._root, frozenset(self._used))

    def take(self, event: yaml.Event) -> None:
        import yaml

        assert event.start_mark is not None, "the parser marks every event"
        mark = Mark(event.start_mark.line + 1, event.start_mark.column + 1)
        match event:
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    self.fail("R2S208", mark, "a second document begins here", hint="keep one sheet in a file")
            case yaml.AliasEvent():
                self._add(self._alias(str(event.anchor), mark), mark)
            case yaml.ScalarEvent():
                self._check(event, mark)
                self._add(self._text(event, mark), mark, event.anchor)
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                self._check(event, mark)
                self._begin(event, mark)
            case yaml.SequenceEndEvent():
                done = self._stack.pop()
                self._add(ListNode(tuple(done.nodes), done.mark, done.size), mark, done.anchor)
            case yaml.MappingEndEvent():
                done = self._stack.pop()
                entries = self._entries(done)
                self._add(MapNode(entries, done.mark, done.size, done.anchor), mark, done.anchor)

    def _check(self, event: yaml.NodeEvent, mark: Mark) -> None:
        tag = getattr(event, "tag", None)
        if tag is not None:
            self.fail("R2S207", mark, f"tag {shown(tag)}", hint="write the value without a tag")
        if event.anchor is not None:
            if event.anchor in self._anchors:
                self.fail("R2S206", mark, f"anchor {shown(event.anchor)} is set twice", hint="give it another name")
            self._anchors[event.anchor] = None

    def _text(self, event: yaml.ScalarEvent, mark: Mark) -> TextNode:
        if any("\ud800" <= c <= "\udfff" for c in event.value):
            self.fail("R2S204", mark, "an escape makes half a character (a surrogate)", hint="write the character")
        return TextNode(event.value, event.style is None, mark)

    def _begin(self, event: Any, mark: Mark) -> None:
        import yaml

        kind = "mapping" if isinstance(event, yaml.MappingStartEvent) else "list"
        if len(self._stack) >= DEPTH_LIMIT:
            self.fail("R2S203", mark, f"nested deeper than {DEPTH_LIMIT} levels", hint="a sheet needs four")
        if self._awaits_key():
            self.fail("R2S213", mark, f"a {kind} stands where a key must be", hint="write key: value")
        self._stack.append(_Open(kind, mark, event.anchor, bool(event.flow_style)))

    def _awaits_key(self) -> bool:
        return bool(self._stack) and self._stack[-1].kind == "mapping" and len(self._stack[-1].nodes) % 2 == 0

    def _alias(self, anchor: str, mark: Mark) -> Node:
        if anchor not in self._anchors:
            self.fail(
                "R2S204", mark, f"alias {shown('*' + anchor)} has no anchor", hint="quote a text that begins with *"
            )
        node = self._anchors[anchor]
        if node is None:
            self.fail("R2S206", mark, f"alias {shown('*' + anchor)} stands inside its own anchor", hint="write it out")
        if self._awaits_key():
            self.fail("R2S213", mark, "an alias stands where a key must be", hint="write the key out")
        self._used.add(anchor)
        return node

    def _add(self, node: Node, mark: Mark, anchor: str | None = None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._stack:
            self._root = node
            return
        parent = self._stack[-1]
        parent.size += node.size
        if parent.size > NODE_LIMIT:
            self._too_many(mark)
        if isinstance(node, TextNode) and self._awaits_key() and node.empty:
            self.fail("R2S213", mark, "a key is missing before the colon", hint="write key: value")
        parent.nodes.append(node)

    def _too_many(self, mark: Mark) -> NoReturn:
        if self._used:
            self.fail("R2S206", mark, f"aliases expand to over {NODE_LIMIT} values", hint="write the readings out")
        self.fail("R2S203", mark, f"over {NODE_LIMIT} values", hint="is this the caliper sheet?")

    def _entries(self, done: _Open) -> tuple[tuple[TextNode, Node], ...]:
        """Return the entries of a mapping, its merge key resolved behind its own keys."""
        own: dict[str, tuple[TextNode, Node]] = {}
        merged: Node | None = None
        previous: Node | None = None
        for key, value in zip(done.nodes[::2], done.nodes[1::2], strict=True):
            assert isinstance(key, TextNode), "the composer admits no other key"
            self._refuse_split_number(done, key, value, previous)
            if key.text in own:
                first = own[key.text][0].mark
                said = f"key {shown(key.text)} is given twice, first on line {first.line}"
                self.fail("R2S205", key.mark, said, hint="keep one of them")
            own[key.text] = (key, value)
            previous = value
            if key.plain and key.text == "<<":
                merged = value
        if merged is None:
            return tuple(own.values())
        merge_key = own.pop("<<")[0]
        for mapping in self._merge_sources(merged, merge_key.mark):
            for key, value in mapping.entries:
                own.setdefault(key.text, (key, value))
        return tuple(own.values())

    def _merge_sources(self, value: Node, mark: Mark) -> tuple[MapNode, ...]:
        nodes = value.items if isinstance(value, ListNode) else (value,)
        sources = tuple(node for node in nodes if isinstance(node, MapNode))
        if len(sources) < len(nodes):
            self.fail("R2S210", mark, "'<<' merges mappings only", hint="write <<: *name, with &name on a mapping")
        return sources

    def _refuse_split_number(self, done: _Open, key: TextNode, value: Node, previous: Node | None) -> None:
        """Refuse ``{value: 80,0}``, which flow style reads as the value 80 and a key 0 with nothing behind it."""
        bare = done.flow and key.plain and isinstance(value, TextNode) and value.plain and not value.text
        if not (bare and isinstance(previous, TextNode) and re.match("[0-9]", key.text)):
            return
        said = shown(f"{previous.text},{key.text}")
        self.fail("R2S215", previous.mark, f"{said}: a comma is not a decimal sign", hint="write a point: 80.5")
