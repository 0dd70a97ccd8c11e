"""What `scripts/generate` writes is what it would write now."""
from __future__ import annotations

import importlib.util
import json
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "generate"
STALE = "scripts/generate brings it up to date"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    loader = SourceFileLoader("generate", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("generate", loader))
    loader.exec_module(module)
    return module


def test_settings_have_an_entry_for_each_rule(generate) -> None:
    assert generate.SETTINGS.read_text(encoding="utf-8") == generate.settings_text(), STALE


def test_the_readme_has_the_table_of_rules(generate) -> None:
    assert generate.README.read_text(encoding="utf-8") == generate.readme_text(), STALE


def test_each_rule_has_its_page_and_no_other_rule_has_one(generate) -> None:
    texts = generate.page_texts()
    assert set(generate.PAGES.glob("*.md")) == set(texts), STALE
    for path, text_of in texts.items():
        assert path.read_text(encoding="utf-8") == text_of(), STALE


def test_every_model_of_the_protocol_is_a_typescript_type(generate) -> None:
    written = generate.PROTOCOL.read_text(encoding="utf-8")
    for name, definition in generate.schema()["$defs"].items():
        _, found, body = written.partition(f"export interface {name} {{")
        assert found, f"{name}: {STALE}"
        fields = body.partition("\n}")[0]
        for field in definition["properties"]:
            optional = field not in definition.get("required", ())
            assert f"\n  {field}{'?' if optional else ''}:" in fields, f"{name}.{field}: {STALE}"


def test_the_schema_of_settings_is_json_with_all_severities(generate) -> None:
    entries = json.loads(generate.settings_text())["properties"]["rules"]["properties"]
    assert entries and all(entry["enum"] == generate.CHOICES for entry in entries.values())
