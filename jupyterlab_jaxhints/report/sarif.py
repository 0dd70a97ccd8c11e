"""SARIF 2.1.0, which code-scanning services read."""
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import __version__, pages, rules
from ..checker import FileResult
from .items import Item, file_items

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}


def log(results: Sequence[FileResult]) -> dict[str, Any]:
    """One run with all results; files that could not be read are notifications of the run."""
    items = [item for result in results for item in file_items(result)]
    names = sorted({item["code"] for item in items})
    failures = [{"level": "error", "message": {"text": result.error}} for result in results if result.error]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "jaxhints", "semanticVersion": __version__,
                "rules": [_rule(name) for name in names],
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": not failures, "toolExecutionNotifications": failures}],
            "results": [_result(item, names.index(item["code"])) for item in items],
        }],
    }


def _rule(name: str) -> dict[str, Any]:
    rule = rules.find(name)
    return {
        "id": name,
        "name": name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.title},
        "help": {"text": pages.markdown(rule), "markdown": pages.markdown(rule)},
        "helpUri": pages.address(rule),
        "properties": {"tags": [rule.section, rule.rule.kind]},
    }


def _result(item: Item, rule_index: int) -> dict[str, Any]:
    result = {
        "ruleId": item["code"],
        "ruleIndex": rule_index,
        "level": LEVELS[item["severity"]],
        "message": {"text": item["message"]},
        "locations": [_location(item["filename"], item)],
        "properties": {"certainty": item["certainty"], "lane": item["lane"]},
    }
    related = [_location(item["filename"], step) | {"message": {"text": step["message"]}}
               for step in item["evidence"] if "location" in step]
    if related:
        result["relatedLocations"] = related
    return result


def _location(filename: str, place: Item) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(filename)}}
    region = {
        "startLine": place["location"]["row"], "startColumn": place["location"]["column"],
        "endLine": place["end_location"]["row"], "endColumn": place["end_location"]["column"],
    }
    if place["cell"] is None:
        return {"physicalLocation": physical | {"region": region}}
    # a region would count lines of the notebook's JSON
    logical = {"name": f"cell {place['cell']}, line {region['startLine']}", "kind": "module"}
    return {"physicalLocation": physical, "logicalLocations": [logical]}


def _uri(filename: str) -> str:
    path = Path(filename)
    return path.as_uri() if path.is_absolute() else path.as_posix().replace("%", "%25").replace(" ", "%20")
