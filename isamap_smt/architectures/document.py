"""A YAML file as plain data: tags unknown to PyYAML are kept as words, no code is run, and each key stands once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from isamap_smt.architectures.form import ArchitectureError, did_you_mean_file, refused
from isamap_smt.language.loading import require_named

MOST = 1 << 22  # characters of a file


class Tagged(str):
    """A word with a tag, such as `!include other.yaml`."""

    tag = ""


class Map(dict[str, Any]):
    """A mapping with its tag, such as `!Component`, and its first line."""

    tag = ""
    line = 0


class _Loader(yaml.SafeLoader):
    """Safe: it makes numbers, words, lists and mappings alone."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        own = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode) and key.value != "<<"]
        for n, key in enumerate(own):
            if key in own[:n]:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} stands twice", node.start_mark)
        self.flatten_mapping(node)
        return super().construct_mapping(node, deep=True)


def _mapping(loader: Any, node: Any) -> Map:
    found = Map({str(k): v for k, v in loader.construct_mapping(node, deep=True).items()})
    found.tag = node.tag if node.tag.startswith("!") else ""
    found.line = node.start_mark.line + 1
    return found


def _tagged(loader: Any, _: str, node: Any) -> Any:
    if isinstance(node, yaml.MappingNode):
        return _mapping(loader, node)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    found = Tagged(node.value)
    found.tag = node.tag
    return found


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_multi_constructor("!", _tagged)


def read(source: str | Path) -> tuple[str, Map]:
    """(the file's name in messages, its data). source: a path, or the text itself if it has several lines.

    Raises ArchitectureError.
    """
    file, text = ("text", source) if isinstance(source, str) and "\n" in source else _text(Path(source))
    if len(text) > MOST:
        raise ArchitectureError(f"{file}: {len(text)} characters; architectures have at most {MOST}")
    try:
        data = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise ArchitectureError(f"{file}: {_said(error, text)}") from None
    except RecursionError:
        raise ArchitectureError(f"{file}: it is nested too deeply to be an architecture") from None
    if not isinstance(data, Map):
        raise ArchitectureError(f"{file}: it holds no keys; an architecture of Timeloop or ZigZag is a mapping")
    return file, data


def _text(path: Path) -> tuple[str, str]:
    require_named(path)
    try:
        return str(path), path.read_text()
    except OSError as error:
        near = did_you_mean_file(path)
        raise ArchitectureError(f"cannot read {path}: {error.strerror}{near}") from None
    except UnicodeDecodeError:
        raise ArchitectureError(f"{path} is no text, so it is no YAML") from None


def _said(error: yaml.YAMLError, text: str) -> str:
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None) or str(error)
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    template = "{{" in text or "{%" in text
    return f"{where}{problem}" + ("; it is a template of Jinja: render it, and pass what comes out" if template else "")


def number_of(value: Any) -> float | None:
    """The number in a value, or None. `1e-9` is a word for YAML 1.1.

    >>> number_of(8), number_of("1e3"), number_of("DEPTH"), number_of(True)
    (8, 1000.0, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    try:
        return float(value) if isinstance(value, str) else None
    except ValueError:
        return None


__all__ = ["Map", "Tagged", "number_of", "read", "refused"]
