"""Which modules import a module, read from their import statements."""

from __future__ import annotations

import ast
from pathlib import Path

from mutation.population import PACKAGES


def importers(root: Path) -> dict[str, frozenset[str]]:
    """Return for every module of the packages, by relative path, the modules that import it."""
    modules = {
        path.relative_to(root).as_posix(): ast.parse(path.read_bytes())
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
    }
    users: dict[str, set[str]] = {}
    for user, tree in modules.items():
        for name in _imported(tree):
            stem = name.removeprefix("r2s.").replace(".", "/")
            for path in (f"{stem}.py", f"{stem}/__init__.py"):
                if path in modules:
                    users.setdefault(path, set()).add(user)
    for module in modules:  # a package of tables loads its modules by name
        package = f"{module.rpartition('/')[0]}/__init__.py"
        if package in modules and package != module:
            users.setdefault(module, set()).add(package)
    return {module: frozenset(found) for module, found in users.items()}


def _imported(tree: ast.AST) -> list[str]:
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names
