"""What is installed is what lies in the folders, under the names that it should have."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUP = SETTINGS["tool"]["setuptools"]
LOCK = ROOT / "requirements.lock"


def folder_of(package: str) -> Path:
    """Return the folder that holds *package*, as package-dir maps it."""
    for name, folder in SETUP["package-dir"].items():
        if package == name or package.startswith(name + "."):
            return ROOT / folder / package.removeprefix(name).lstrip(".").replace(".", "/")
    raise AssertionError(f"{package} is not under any name of package-dir")


def test_every_folder_with_code_is_a_listed_package() -> None:
    """The list is written by hand, and an editable install hides what it forgets."""
    found = {
        ".".join((name, *path.parent.relative_to(ROOT / folder).parts))
        for name, folder in SETUP["package-dir"].items()
        for path in (ROOT / folder).rglob("*.py")
    }
    assert sorted(SETUP["packages"]) == sorted(found)


@pytest.mark.parametrize("package", SETUP["packages"])
def test_package_is_imported_from_its_folder(package: str) -> None:
    module = importlib.import_module(package)
    assert module.__file__ is not None
    assert Path(module.__file__) == folder_of(package) / "__init__.py"


@pytest.mark.parametrize("package", SETUP["package-dir"])
def test_package_says_that_it_is_typed(package: str) -> None:
    assert (folder_of(package) / "py.typed").is_file()


def test_no_module_has_a_second_identity() -> None:
    """With the repository's root on the path, ``import compiler`` would work, and make a second copy of each class."""
    for package in SETUP["packages"]:
        importlib.import_module(package)
    for name in ("compiler", "passes", "fixtures", "runtime"):
        assert name not in sys.modules


def test_lock_names_no_host_and_no_path() -> None:
    text = LOCK.read_text()
    assert not re.search(r"://|file:/|index-url|find-links|trusted-host|(?<![\w.])/\w+/", text)


def test_lock_pins_every_requirement_with_hashes() -> None:
    blocks = re.split(r"\n(?=[a-z0-9])", LOCK.read_text())[1:]
    pinned = {}
    for block in blocks:
        match = re.match(r"([a-z0-9.-]+)==(\S+)", block)
        assert match, block
        assert "--hash=sha256:" in block, match[1]
        pinned[match[1]] = match[2]
    wanted = [*SETTINGS["project"]["dependencies"], *SETTINGS["project"]["optional-dependencies"]["dev"]]
    # Those for other platforms than the one that the lock is for are left out of it.
    here = {re.split(r"[\s<>=!;\[]", line, maxsplit=1)[0].lower() for line in wanted if "!=" not in line}
    assert here <= set(pinned)
    assert "setuptools" in pinned, "an install without build isolation needs it"


@pytest.mark.slow
def test_archives_hold_the_packages(tmp_path: Path) -> None:
    """The wheel holds every module and marker and nothing else; the sdist holds what building it again needs."""
    # A copy, so that nothing left over from an earlier build is packed and nothing is left behind.
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    tracked = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in tracked.splitlines():
        if (ROOT / name).is_file():
            (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "tree" / name).write_bytes((ROOT / name).read_bytes())
    built = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path / "dist", tmp_path / "tree"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {
        f"{package.replace('.', '/')}/{path.name}"
        for package in SETUP["packages"]
        for path in (tmp_path / "tree" / folder_of(package).relative_to(ROOT)).iterdir()
        if path.suffix == ".py" or path.name in ("py.typed", *SETUP["package-data"].get(package, ()))
    }
    assert inside == expected
    (sdist,) = (tmp_path / "dist").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"pyproject.toml", "LICENSE", "README.md", "compiler/errors.py", "passes/py.typed"} <= names
