"""The locks hold all that pyproject.toml asks for, with hashes, for every platform, no more."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.tags import compatible_tags, cpython_tags, mac_platforms
from packaging.utils import canonicalize_name, parse_wheel_filename

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
UV_LOCK = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
PUBLIC_HOSTS = {"pypi.org", "files.pythonhosted.org"}
LOCKS = ["lab", "dev", "local"]
PLATFORMS = {
    "linux-x86_64": [f"manylinux_2_{minor}_x86_64" for minor in range(35, 4, -1)]
    + ["manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64", "linux_x86_64"],
    "linux-aarch64": [f"manylinux_2_{minor}_aarch64" for minor in range(35, 16, -1)]
    + ["manylinux2014_aarch64", "linux_aarch64"],
    "macos-arm64": list(mac_platforms((14, 0), "arm64")),
    "windows-amd64": ["win_amd64"],
}


def entries(lock: str) -> list[tuple[Requirement, list[str]]]:
    """Return a lock's requirements, each with its hashes."""
    text = (ROOT / f"requirements/{lock}.txt").read_text(encoding="utf-8")
    blocks = [block for block in re.split(r"(?m)^(?=\S)", text) if block.strip()]
    assert all(not block.startswith(("#", "-")) for block in blocks), "options do not belong here"
    heads = [block.split("\\", 1)[0].strip() for block in blocks]
    hashes = [re.findall(r"--hash=(\S+)", block) for block in blocks]
    return list(zip(map(Requirement, heads), hashes, strict=True))


def asked(*groups: str) -> list[Requirement]:
    """Return what pyproject.toml asks for itself, with the named dependency groups."""
    listed = list(PROJECT["project"]["dependencies"])
    for group in groups:
        listed += PROJECT["dependency-groups"][group]
    return [Requirement(line) for line in listed]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_entry_is_one_version_with_a_sha256(lock: str) -> None:
    found = entries(lock)
    assert found
    for requirement, hashes in found:
        assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), requirement
        assert hashes, f"{requirement} has no hash"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in hashes)


@pytest.mark.parametrize(
    ("lock", "groups"), [("lab", ("build",)), ("dev", ("build", "dev"))], ids=["lab", "dev"]
)
def test_a_lock_covers_pyproject_in_the_asked_range(lock: str, groups: tuple[str, ...]) -> None:
    locked = {canonicalize_name(entry.name): entry for entry, _ in entries(lock)}
    for need in asked(*groups):
        entry = locked.get(canonicalize_name(need.name))
        assert entry is not None, f"{need.name} is not in requirements/{lock}.txt: run make lock"
        version = str(entry.specifier).removeprefix("==")
        assert need.specifier.contains(version), f"{need} but {version} is locked: run make lock"


def test_the_test_lock_holds_the_lab_lock_unchanged() -> None:
    def pinned(lock: str) -> set[str]:
        return {f"{e.name}{e.specifier} {sorted(hashes)}" for e, hashes in entries(lock)}

    assert pinned("lab") <= pinned("dev")


def test_the_exports_say_what_uv_lock_says() -> None:
    resolved = {(package["name"], package.get("version")) for package in UV_LOCK["package"]}
    for lock in ("lab", "dev"):
        for entry, _ in entries(lock):
            assert (entry.name, str(entry.specifier).removeprefix("==")) in resolved, entry


def test_no_lock_brings_torch_or_what_is_large_and_never_used() -> None:
    for lock in LOCKS:
        names = {canonicalize_name(entry.name) for entry, _ in entries(lock)}
        assert not names & {"torch", "torchvision", "tensorflow", "transformers"}
        assert not names & {"kubernetes", "huggingface-hub", "zstandard", "uvloop"}
        assert not [name for name in names if name.startswith("nvidia-")]


def test_no_file_names_another_index_than_the_public_one() -> None:
    for lock in LOCKS:
        text = (ROOT / f"requirements/{lock}.txt").read_text(encoding="utf-8")
        assert not re.findall(r"https?://|file:|--index|--find-links|--extra-index", text)
    uv_lock = (ROOT / "uv.lock").read_text(encoding="utf-8")
    assert set(re.findall(r"https?://([^/\"]+)", uv_lock)) <= PUBLIC_HOSTS
    assert not re.search(r"file:|path = |directory = ", uv_lock)


@pytest.mark.parametrize("python", [(3, 11), (3, 12), (3, 13)], ids=lambda pair: f"{pair[1]}")
@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_package_has_a_wheel_for(platform: str, python: tuple[int, int]) -> None:
    wanted = set(cpython_tags(python, platforms=PLATFORMS[platform]))
    wanted |= set(compatible_tags(python, f"cp3{python[1]}", PLATFORMS[platform]))
    here = environment(platform, python)
    wheels = wheel_files()
    for entry, _ in entries("dev"):
        if entry.marker and not entry.marker.evaluate(here):
            continue
        files = wheels[entry.name, str(entry.specifier).removeprefix("==")]
        tags = [tag for file in files for tag in parse_wheel_filename(file)[3]]
        assert wanted.intersection(tags), f"{entry} has no wheel for {platform}"


def wheel_files() -> dict[tuple[str, str], list[str]]:
    """Return the wheels' file names of every resolved package."""
    return {
        (package["name"], package["version"]): [
            wheel["url"].rsplit("/", 1)[1] for wheel in package.get("wheels", [])
        ]
        for package in UV_LOCK["package"]
        if "registry" in package["source"]
    }


def environment(platform: str, python: tuple[int, int]) -> dict[str, str]:
    """Return what a marker sees on that platform."""
    system, machine = platform.split("-")
    known = {"linux": ("linux", "posix"), "macos": ("darwin", "posix"), "windows": ("win32", "nt")}
    version = ".".join(map(str, python))
    return {
        "sys_platform": known[system][0],
        "os_name": known[system][1],
        "platform_machine": machine.replace("amd64", "AMD64"),
        "python_version": version,
        "python_full_version": f"{version}.9",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": "",
    }
