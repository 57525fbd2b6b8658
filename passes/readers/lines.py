"""A cursor over the lines of a text file, which hands out whole lines in blocks of bounded size."""

from __future__ import annotations

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers.content import Content

BLOCK = 4 << 20
LONGEST_LINE = 8 << 20

_SAMPLE = 1 << 16


class Lines:
    """
    Where a reader is in a text: a byte offset and the number of the line that begins there.

    Lines end in LF, CR LF, or (old Macs) CR alone; in the last case CR is shown as LF, so that readers see LF only.
    """

    def __init__(self, content: Content, offset: int = 0, line: int = 1) -> None:
        self._content = content
        self.offset = offset
        self.line = line
        sample = content[offset : offset + _SAMPLE]
        self._lone_cr = b"\r" in sample and b"\n" not in sample

    @property
    def left(self) -> int:
        """How many bytes follow."""
        return len(self._content) - self.offset

    def peek(self, size: int = BLOCK) -> bytes:
        """
        Return about *size* bytes of whole lines from here on, at least one line; nothing at the end.

        Raises InvalidInputError for a line that is longer than 8 MiB, as no scanner writes one.
        """
        while True:
            block = self._content[self.offset : self.offset + size]
            if self._lone_cr:
                block = block.replace(b"\r", b"\n")
            if len(block) == self.left:
                return block
            cut = block.rfind(b"\n") + 1
            if cut:
                return block[:cut]
            if size >= LONGEST_LINE:
                raise InvalidInputError(
                    "R2S133",
                    f"line {self.line} is longer than {LONGEST_LINE >> 20} MiB",
                    hint="this is no text scan, or its line ends are lost; export it again",
                )
            size = min(2 * size, LONGEST_LINE)

    def advance(self, block: bytes) -> None:
        """Go past *block*, which peek returned, or past its first lines."""
        self.offset += len(block)
        self.line += block.count(b"\n")
