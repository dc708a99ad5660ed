"""The rules of CONTRIBUTING.md that a program can check: words, names, sizes and imports in app/."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAX_MODULES = 340
MAX_SHARE_WITH_ONE_IMPORTER = 0.28
GRAPHQL_TYPES = "app.graphql.types"

PRIVATE_DOCSTRING = re.compile(r"(Answer|Tell|Lend)\b")
PRIVATE_WORD = re.compile(r"told|heard|voice|foresight|footing|shipment|attendance", re.IGNORECASE)
LEDGER_NUMBER = re.compile(r"_?(tenant|project|artifact)(?P<plural>s?)")
PRIVATE_CONSTANT = re.compile(r"_?(LONGEST|MOST|LARGEST|DEEPEST|SMALLEST|SHORTEST|FEWEST)_")

# The subject of a module is the same in several layers, and so is its name. No other name comes thrice.
NAMES_OF_SEVERAL_FILES = {
    "create.py",
    "errors.py",
    "location.py",
    "mentions.py",
    "projection.py",
    "recall.py",
    "references.py",
    "server.py",
}


@cache
def modules() -> dict[str, ast.Module]:
    """Return every module of app/ by its dotted name; a package is the module of its `__init__.py`."""
    files = sorted((ROOT / "app").rglob("*.py"))
    return {_module_name(file): ast.parse(file.read_text(encoding="utf-8")) for file in files}


@cache
def packages() -> frozenset[str]:
    return frozenset(_module_name(file) for file in (ROOT / "app").rglob("__init__.py"))


def _module_name(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports() -> dict[str, frozenset[str]]:
    """Return the modules of app/ that each module imports, those inside functions too."""
    return {name: frozenset(_imported(tree)) - {name} for name, tree in modules().items()}


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            named = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            yield from (name for name in named if name in modules())


def nodes() -> Iterator[tuple[str, ast.AST]]:
    for name, tree in modules().items():
        for node in ast.walk(tree):
            yield name, node


def identifiers(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node of the syntax tree writes."""
    for field in ("id", "attr", "arg", "name", "asname", "rest"):
        if isinstance(value := getattr(node, field, None), str):
            yield value


def test_no_docstring_begins_with_a_private_verb() -> None:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    documented = [(name, node) for name, node in nodes() if isinstance(node, kinds)]
    found = [
        f"{name}: {docstring.splitlines()[0]}"
        for name, node in documented
        if PRIVATE_DOCSTRING.match(docstring := ast.get_docstring(node) or "")
    ]
    assert found == []


def test_no_name_has_a_private_word() -> None:
    written = {(name, each) for name, node in nodes() for each in identifiers(node)}
    written |= {(name, name.rpartition(".")[2]) for name in modules()}
    assert sorted(f"{name}: {each}" for name, each in written if PRIVATE_WORD.search(each)) == []


def test_bounds_are_named_max_and_min() -> None:
    found = [
        f"{name}: {node.id}"
        for name, node in nodes()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and PRIVATE_CONSTANT.match(node.id)
    ]
    assert found == []


def test_a_number_of_the_ledger_has_a_type_of_its_own() -> None:
    """`app/domain/numbers.py` has the types; a plural that is one whole number is a count."""
    found = [
        f"{name}: {written}: {ast.unparse(annotation)}"
        for name, written, annotation in annotated_names()
        if (match := LEDGER_NUMBER.fullmatch(written))
        and not (match["plural"] and isinstance(annotation, ast.Name))
        and "int" in {each for node in ast.walk(annotation) for each in identifiers(node)}
    ]
    assert found == []


def annotated_names() -> Iterator[tuple[str, str, ast.expr]]:
    """Yield the module, name and annotation of every parameter, variable and field, and of results."""
    for name, node in nodes():
        if isinstance(node, ast.arg) and node.annotation is not None:
            yield name, node.arg, node.annotation
        elif isinstance(node, ast.AnnAssign):
            yield name, ast.unparse(node.target).removeprefix("self."), node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield name, node.name, node.returns


def test_a_class_name_means_one_thing() -> None:
    """A type of the API may have the name of what it wraps."""
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for name, node in nodes():
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            homes[node.name].append(name)
    for name, places in homes.items():
        wrapping = [place for place in places if place.startswith(f"{GRAPHQL_TYPES}.")]
        assert len(wrapping) <= 1, f"{name}: {wrapping}"
        assert len(places) - len(wrapping) <= 1, f"{name}: {places}"


def test_services_are_built_in_the_container_alone() -> None:
    """A service may build another that is a part of it; whoever else needs one takes it from a `Memory`."""
    services = {
        node.name
        for name, node in nodes()
        if name.startswith("app.services.")
        and isinstance(node, ast.ClassDef)
        and node.name.endswith("Service")
    }
    assert "RecallService" in services
    building = {
        f"{name} builds {node.func.id}"
        for name, node in nodes()
        if not name.startswith("app.services.")
        and isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in services
    }
    assert not building


def test_what_every_request_needs_is_written_once() -> None:
    """Errors become problems, a key gets its saved answer and the present is read in one place each."""
    homes = {
        # An argument out of bounds is refused before any resolver sees it.
        "problem_from": {"app.graphql.mutations.payload", "app.graphql.schema"},
        "find_response": {"app.services.idempotency"},
        "insert_response": {"app.services.idempotency"},
        # A recall reads the clock with the extent of its scope, in one statement.
        "present": {"app.stores.postgres.ledger_clock", "app.services.recall.scope"},
    }
    calling: defaultdict[str, set[str]] = defaultdict(set)
    for name, node in nodes():
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            calling[str(called)].add(name)
    for function, places in homes.items():
        assert calling[function] == places, function


def test_there_are_not_too_many_modules() -> None:
    assert len(modules()) <= MAX_MODULES


def test_few_modules_have_exactly_one_importer() -> None:
    """A module that one other needs is often a part of that one; put the two together."""
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for name, imported in imports().items():
        for each in imported:
            importers[each].add(name)
    files = modules().keys() - packages()
    with_one = sorted(name for name in files if len(importers[name]) == 1)
    assert len(with_one) <= MAX_SHARE_WITH_ONE_IMPORTER * len(files), with_one


def test_packages_import_each_other_in_no_circle() -> None:
    for parent in packages():
        needs: defaultdict[str, set[str]] = defaultdict(set)
        for name, imported in imports().items():
            source = _package_below(parent, name)
            targets = {_package_below(parent, each) for each in imported}
            if source is not None:
                needs[source] |= {target for target in targets if target is not None} - {source}
        try:
            TopologicalSorter(needs).prepare()
        except CycleError as error:
            raise AssertionError(f"a circle: {' <- '.join(error.args[1])}") from None


def _package_below(parent: str, name: str) -> str | None:
    """Return the package directly below `parent` that a module is in."""
    if not name.startswith(f"{parent}."):
        return None
    child = f"{parent}.{name.removeprefix(f'{parent}.').partition('.')[0]}"
    return child if child in packages() else None


def test_few_names_of_files_come_thrice() -> None:
    files = Counter(f"{name.rpartition('.')[2]}.py" for name in modules().keys() - packages())
    thrice = {name for name, count in files.items() if count > 2 and name != "service.py"}
    assert thrice == NAMES_OF_SEVERAL_FILES
