"""The compiler: values, passes' contract, manager, judge and command line; no geometry library and no pass."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("r2s")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"

__all__ = ["__version__", "compile_asset"]


def __getattr__(name: str) -> object:
    # the driver pulls in much that --help must not pay for
    if name == "compile_asset":
        from r2s.compiler.driver import compile_asset

        return compile_asset
    raise AttributeError(name)
