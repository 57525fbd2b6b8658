"""``r2s-compile passes``: what a pipeline is made of, with every option, its type and default."""

from __future__ import annotations

import dataclasses
import inspect
import json
from typing import Any

import click


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def passes(name: str | None, as_json: bool) -> None:
    """List the passes, or explain one: what it does, its options with type and default."""
    from r2s.compiler import catalog

    names = [name] if name else list(catalog.names())
    described = [_describe(n) for n in names]
    if as_json:
        click.echo(json.dumps(described, indent=1))
        return
    if not name:
        from r2s.compiler.pipeline import DEFAULT

        click.echo(f"default pipeline: {DEFAULT}\n")
    for one in described:
        click.echo(f"{one['name']}  {one['from']} -> {one['to']}  (version {one['version']})")
        click.echo(f"  {one['does']}")
        for option in one["options"]:
            click.echo(f"    {option['name']}: {option['type']} = {option['default']}")
        if name:
            click.echo("\n" + "\n".join(f"  {line}" for line in one["text"].splitlines()))
    if not name:
        click.echo("\nset an option with -p pass.option=value; r2s-compile passes NAME says more")


def _describe(name: str) -> dict[str, Any]:
    from r2s.compiler import catalog
    from r2s.compiler.pipeline import text_fields
    from r2s.compiler.protocol import ends

    cls = catalog.load(name)
    source, value = ends(cls)
    text = inspect.cleandoc(cls.__doc__ or "")
    return {
        "name": name,
        "version": cls.version,
        "from": source.__name__,
        "to": value.__name__,
        "does": text.splitlines()[0] if text else "",
        "text": text,
        "options": [{"name": f.name, "type": _type(f), "default": repr(f.default)} for f in text_fields(cls)],
    }


def _type(f: dataclasses.Field[Any]) -> str:
    return f.type if isinstance(f.type, str) else getattr(f.type, "__name__", str(f.type))
