"""What `fix` repairs, rule by rule, and that it does no more than that."""

from __future__ import annotations

import ast
import hashlib
import io
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from projects import make_project
from test_mutations import FILES, all_changes

from toolset_gen.build import build
from toolset_gen.check import RULES, explain
from toolset_gen.config import Config, read_config
from toolset_gen.diagnostics import Diagnostic
from toolset_gen.discover import SourceFile, Sources
from toolset_gen.extract import external
from toolset_gen.extract.raw import ReadResult
from toolset_gen.fix import Repaired, repair
from toolset_gen.gate import find_sources

NO_BOOT = "boot = false\n"
BLOCK = re.compile(r"\*\*(Wrong|Right)\*\*\n\n```python\n(.*?)```", re.DOTALL)

# Each rule: True when `fix` repairs what has one right answer, else why no answer is the only one.
REPAIRED: dict[str, bool | str] = {
    "SRC001": "nobody but its author knows what was meant",
    "SRC002": "any of many encodings may be the file's own",
    "SRC003": "permissions and missing files are no matter of the source",
    "SRC004": "a folder may be meant as a package or not be code at all",
    "SRC005": "the name may be wrong, or the package not written yet",
    "SRC006": "either of the two files may be the one that is meant",
    "SRC007": "which names are public is what the constant would have to say",
    "EVT001": True,
    "EVT002": True,
    "EVT003": "only a person knows what a parameter means",
    "EVT004": True,
    "EVT005": True,
    "EVT006": True,
    "EVT007": "the parameter may go, or the mode be `waterfall`",
    "EVT008": "the name is its author's to choose",
    "EVT009": "either declaration may go",
    "EVT010": "it may be dispatched, or its declaration go",
    "EVT011": True,
    "EVT012": "the name may be misspelt, or its declaration missing",
    "EVT013": "what the listener makes of its arguments is its author's to say",
    "EVT014": True,
    "EVT015": True,
    "EVT016": "what the name is may depend on anything",
    "EVT017": "which argument is missing or too many, only its author knows",
    "EVT018": "where the declaration belongs, only its author knows",
    "SVC001": True,
    "SVC002": True,
    "SVC003": "only a person knows what a parameter means",
    "SVC004": True,
    "SVC005": True,
    "SVC006": True,
    "SVC007": "either class may get another key",
    "SVC008": "it may be provided, or go",
    "SVC009": "the text may stand in the class's docstring or below the attribute",
    "SVC010": True,
    "SVC011": "the exception may be misspelt, not imported, or not raised any more",
    "SVC012": "what the key is may depend on anything",
    "SVC013": "the path may be misspelt, or a class be wanted that wraps it",
    "SVC014": "which class is meant, only its author knows",
    "TYP001": "the name may be misspelt, or its import missing",
    "TYP002": "the type may be published, or another be used",
    "TYP003": "either type may get another name",
    "TYP004": "how a type is made smaller is its author's to say",
    "PLG001": "the key may be misspelt, or its provider missing",
    "PLG002": "any key of the circle may become optional",
    "PLG003": "the key may be injected, or read with `ctx.get`",
    "PLG004": "either plugin may get another name",
    "PLG005": "either tool may get another name",
    "PLG006": "why a plugin fails is its author's to find",
    "PLG007": "it may register with its defaults, or be accepted",
    "PLG008": "what the list holds may depend on anything",
    "PLG009": True,
    "CFG001": "the text may stand in `Field`, in the class's docstring or below the field",
    "CFG002": "a type is never guessed from a default",
    "CFG003": "the default may change, or the constraint",
    "CFG004": "the field may go, or be read",
    "CFG005": "the field may be misspelt, or missing in the model",
    "CFG006": "the key may be misspelt, or have nothing to say any more",
    "CFG007": "nobody but its author knows what was meant",
    "PRO001": "the name may be misspelt, or the text out of date",
    "PRO002": "the name may be misspelt, or the text out of date",
    "PRO003": "the name may be misspelt, or the text out of date",
    "PRO004": "the name may be misspelt, or the text out of date",
    "SUP001": True,
}


@pytest.fixture(scope="module", autouse=True)
def read_once() -> Iterator[None]:
    """Read each module of other packages once, however often it is asked for."""
    read: Callable[[SourceFile], ReadResult] = external._READ
    known: dict[tuple[str, str], ReadResult] = {}

    def remembered(file: SourceFile) -> ReadResult:
        key = (file.path, file.sha256)
        if key not in known:
            known[key] = read(file)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(external, "_READ", remembered)
        yield


def test_every_rule_is_decided() -> None:
    """For every rule it is said whether it is repaired, and if not, why there is no one answer."""
    assert set(REPAIRED) == set(RULES)
    assert {rule for rule, done in REPAIRED.items() if done is True} == {
        rule.id for rule in RULES.values() if rule.repaired
    }


def load(root: Path, files: dict[str, str | bytes]) -> tuple[Config, Sources]:
    config = read_config(make_project(root, files, NO_BOOT))
    config = config._replace(pages="", runtime="", typed_context="")  # only judged
    return config, find_sources(config)


def named(found: tuple[Diagnostic, ...]) -> Counter[tuple[str, str]]:
    return Counter((one.rule, one.target) for one in found)


# What a person has still to write is refused as long as it says `...`.
STILL = {
    "docstring": {"EVT001": "EVT001", "SVC001": "SVC001"},
    "entry": {"EVT002": "EVT003", "SVC002": "SVC003"},
    "returns": {"EVT005": "EVT005", "SVC005": "SVC005"},
}


def expected(before: Counter[tuple[str, str]], done: Repaired) -> Counter[tuple[str, str]]:
    """Say which violations there are after repairs: what was there, less what was said to be repaired."""
    after = Counter(before)
    for change in done.changes:
        one = change.repair
        after[one.rule, one.target] -= 1
        still = STILL.get(one.kind, {}).get(one.rule)
        if still:
            after[still, one.target] += 1
    return +after


# Repairs that take two rules' worth, or that the page of a rule shows in a single form alone.
MORE = {
    "nothing": (
        """
class Shop(Service, key="shop"):
    '''Sell.'''

    def close(self, *, late: bool = False):
        '''Close.

        Args:
            late: Whether it is late.
        '''
        if late:
            return
        self.open = False

    async def wait(
        self,
        long: str = ")#",  # a comment )
    ):
        '''Wait.

        Args:
            long: How long.
        '''
        def inner():
            return 1
        self.waited = inner
""",
        {"    def close(self, *, late: bool = False) -> None:", "    ) -> None:"},
    ),
    "nothing of an event": (
        """
@event("shop/sold", mode="emit")
def sold():
    '''Sold.'''
    ...
""",
        {"def sold() -> None:"},
    ),
    "next": (
        """
@event("shop/price", mode="waterfall")
async def price(
    item: str,  # what
) -> dict[str, int]:
    '''Decide.

    Args:
        item: What.

    Returns:
        Prices.
    '''


async def apply(ctx: Context) -> None:
    '''Ask.'''

    async def inner(item: str) -> dict[str, int]:
        return {}

    await ctx.waterfall(price, "x", inner)
    ctx.on(price, listen)


async def listen(item: str, next: Next[dict[str, int]]) -> dict[str, int]:
    return await next()
""",
        {"    next: Next[dict[str, int]],"},
    ),
    "next is imported": (
        """
@event("shop/price", mode="waterfall")
def price() -> int:
    '''Decide.

    Returns:
        Prices.
    '''
""",
        {"from toolset import Context, Next, Service, event", "def price(next: Next[int]) -> int:"},
    ),
    "renamed entry": (
        """
class Shop(Service, key="shop"):
    '''Sell.'''

    def sell(self, item: str, price: int) -> None:
        '''Sell.

        Args:
            item: What.
            prise (int): For how much:
                all of it.
        '''
""",
        {"            price (int): For how much:"},
    ),
    "removed entries": (
        """
class Shop(Service, key="shop"):
    '''Sell.'''

    def sell(self, item: str) -> None:
        '''Sell.

        Args:
            gone: It is.

                Long ago.

            item, gone_too: What.
            last: One.'''

    def close(self) -> int:
        '''Close.

        Args:
            gone: It is.

        Returns:
            What is left.
        '''
        return 1
""",
        {"            item: What.'''"},
    ),
}
HEAD = '"""A shop."""\n\nfrom toolset import Context, Service, event\n'


def check(config: Config, sources: Sources, repaired: Repaired | None = None) -> Repaired:
    """Repair in memory, and hold the outcome to what it says: twice the same, nothing new, no other edit."""
    before = named(build(config, sources).diagnostics)
    done = repair(config, sources) if repaired is None else repaired
    after = changed(sources, {stale.path: stale.new for stale in done.files})
    assert not named(build(config, after).diagnostics) - expected(before, done)
    again = repair(config, after)
    assert (again.files, again.changes) == ((), ())
    for stale in done.files:
        assert_only_said(stale.old, stale.new, {change.repair.kind for change in done.changes})
    return done


def changed(sources: Sources, new: dict[str, bytes]) -> Sources:
    files = tuple(
        file._replace(data=new[file.path], sha256=hashlib.sha256(new[file.path]).hexdigest())
        if file.path in new
        else file
        for file in sources.files
    )
    return sources._replace(files=files)


IN_DOCSTRINGS = {"docstring", "entry", "returns", "type", "unknown"}


class Forgetful(ast.NodeTransformer):
    """Forgets, in a tree, what repairs of some kinds may change, and nothing else."""

    def __init__(self, kinds: set[str]) -> None:
        self.kinds = kinds

    def visit(self, node: ast.AST) -> ast.AST:
        """Forget what is the node's own."""
        node = self.generic_visit(node)
        body = getattr(node, "body", None)
        documented = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if documented and self.kinds & IN_DOCSTRINGS and ast.get_docstring(node) is not None:
            node.body = body[1:]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if "nothing" in self.kinds and ast.unparse(node.returns or ast.Name("None")) == "None":
                node.returns = None
            if "next" in self.kinds:
                node.args.args = [arg for arg in node.args.args if arg.arg != "next"]
        if "next" in self.kinds and isinstance(node, ast.ImportFrom):
            node.names = [name for name in node.names if name.name != "Next"]
        if "inject" in self.kinds and isinstance(node, ast.List | ast.Tuple | ast.Set):
            node.elts = sorted(node.elts, key=ast.dump)
        if "verb" in self.kinds and isinstance(node, ast.Await) and is_dispatch(node.value):
            return node.value
        if "verb" in self.kinds and is_dispatch(node):
            node.func.attr = "dispatch"
        return node


def is_dispatch(node: ast.AST) -> bool:
    verbs = {"emit", "bail", "parallel", "serial", "waterfall", "dispatch"}
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in verbs
    )


def assert_only_said(old: bytes, new: bytes, kinds: set[str]) -> None:
    """The trees are one but for what was said; comments are the same ones, and so are untouched lines."""
    trees = [ast.dump(Forgetful(kinds).visit(ast.parse(data))) for data in (old, new)]
    assert trees[0] == trees[1]
    assert comments(old) == comments(new)


def comments(data: bytes) -> Counter[str]:
    tokens = tokenize.tokenize(io.BytesIO(data.replace(b"\r\n", b"\n")).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_negative_examples_are_repaired(rule: str, tmp_path: Path) -> None:
    """On every rule's wrong example, what is said to be repaired is gone, and nothing else has come."""
    examples = dict(BLOCK.findall(explain(rule)))
    if "Wrong" not in examples:
        return
    found = check(*load(tmp_path, {"shop.py": examples["Wrong"]}))
    shown = {"EVT014", "SVC006"}  # by a parameter, which has no one answer
    if REPAIRED[rule] is True and rule not in shown:
        assert rule in {change.repair.rule for change in found.changes}
    elif REPAIRED[rule] is not True:
        assert rule not in {change.repair.rule for change in found.changes}


@pytest.mark.parametrize("case", MORE)
def test_repair_is_made(case: str, tmp_path: Path) -> None:
    """Each form of a repair gives the lines that it should, and leaves every other line alone."""
    text, lines = MORE[case]
    imports = HEAD.replace("Context, ", "Context, Next, ") if case == "next" else HEAD
    found = check(*load(tmp_path, {"shop.py": imports + text}))
    assert [left.why for left in found.left] == []
    (stale,) = found.files
    old, new = stale.old.decode().splitlines(), stale.new.decode().splitlines()
    assert lines <= set(new) - set(old)


LEFT = [
    (
        "what it returns has to be read out of its body",
        """
class Shop(Service, key="shop"):
    '''Sell.'''

    def sell(self):
        '''Sell.'''
        return self.ctx
""",
    ),
    (
        "what it returns has to be read out of its body",
        """
class Shop(Service, key="shop"):
    '''Sell.'''

    def sell(self):
        '''Sell.'''
        raise NotImplementedError
""",
    ),
    (
        "what it returns has to be read out of its body",
        """
class Shop(Service, key="shop"):
    '''Sell.'''

    def sell(self):
        '''Sell.'''
        ...
""",
    ),
    (
        "only a person knows what its listeners return",
        """
@event("shop/asked", mode="bail")
def asked():
    '''Asked.'''
""",
    ),
    (
        "it takes any keyword",
        """
class Shop(Service, key="shop"):
    '''Sell.'''

    def sell(self, **options: int) -> None:
        '''Sell.

        Args:
            **options: Many.
            width: One of them.
        '''
""",
    ),
    (
        "may belong to 'price', which has no text yet",
        """
class Shop(Service, key="shop"):
    '''Sell.'''

    def sell(self, price: int) -> None:
        '''Sell.

        Args:
            cost: One of them.
        '''
""",
    ),
    (
        "does without it",
        """
@event("shop/price", mode="waterfall")
def price(item: int) -> int:
    '''Decide.

    Args:
        item: What.

    Returns:
        It.
    '''


def apply(ctx: Context) -> None:
    '''Ask.'''
    ctx.waterfall(price, 1)
""",
    ),
    (
        "cannot follow a parameter with a default",
        """
@event("shop/price", mode="waterfall")
def price(item: int = 1) -> int:
    '''Decide.

    Args:
        item: What.

    Returns:
        It.
    '''
""",
    ),
    (
        "is not the last",
        """
@event("shop/price", mode="waterfall")
def price(next: int, item: int) -> int:
    '''Decide.

    Args:
        next: It.
        item: What.

    Returns:
        It.
    '''
""",
    ),
    (
        "names something else `Next`",
        """
Next = list


@event("shop/price", mode="waterfall")
def price() -> int:
    '''Decide.

    Returns:
        It.
    '''
""",
    ),
]


@pytest.mark.parametrize(("why", "text"), LEFT)
def test_doubtful_repair_is_left(tmp_path: Path, why: str, text: str) -> None:
    """Where more than one answer may be right, it is left with the reason."""
    found = check(*load(tmp_path, {"shop.py": HEAD + text}))
    assert any(why in left.why for left in found.left)
    assert not {left.repair.rule for left in found.left} & {c.repair.rule for c in found.changes}


def test_mutations_are_repaired_soundly(tmp_path: Path) -> None:
    """Whatever fact is changed, what `fix` makes of it is what it says, and a fixed point."""
    config, sources = load(tmp_path, dict(FILES))
    done: Counter[str] = Counter()
    met: Counter[str] = Counter()
    likely = {"docstring entry", "returns dropped", "event mode", "returns"}
    for name, mutation in all_changes():
        met[mutation.kind] += 1
        if met[mutation.kind] % (2 if mutation.kind in likely else 10):
            continue
        mutated = changed(sources, {f"src/pkg/{name}": mutation.text.encode()})
        found = repair(config, mutated)
        done.update(change.repair.kind for change in found.changes)
        if found.changes:
            check(config, mutated, found)
    assert sum(done.values()) >= 12
    assert len(done) >= 4, done


# A file in which everything is to be repaired, with everything that may stand in the way.
MESS = '''\
"""A shop."""

from toolset import Context, Service, event


class Bank(Service, key="bank"):
    """Keep money."""


class Shop(Service, key="shop"):
    """Sell."""

    def sell(self, item: str, price: int, *rest: str) -> int:
        """Sell one.

        Args:
            prise: In cents.  # no comment
        """
        self.ctx.bail(sold, item)  # odd
        return price

    def close(self, at: int):
        # no docstring
        self.at = at

    def lock(self) -> None:
        """Lock it.

        Args:
            gone: It is.
        """


@event("shop/sold", mode="emit")
def sold(item: str) -> None: ...


@event("shop/price", mode="waterfall")
def price(item: str) -> int:
    """Decide.

    Args:
        item (int): What.
    """


inject = [
    "shop",  # to buy
    # to pay
    "bank",
]


def apply(ctx: Context) -> None:
    """Buy."""
'''


def indented(text: str, step: str) -> str:
    return re.sub(r"(?m)^(    )+", lambda match: step * (len(match[0]) // 4), text)


VARIANTS: dict[str, Callable[[str], str]] = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "byte-order mark": lambda text: f"\ufeff{text}",
    "tabs": lambda text: indented(text, "\t"),
    "form feeds": lambda text: text.replace("\n\n\nclass", "\n\n\f\nclass"),
    "no last line end": lambda text: text.rstrip("\n"),
    "trailing space": lambda text: re.sub(r"(?m)(?<=[)\]])$", "  ", text),
    "comments in code": lambda text: text.replace("\n\n\n", "\n\n\n# é \U0001f600 \x0b\n"),
}


def whole(root: Path, text: str) -> str:
    config, sources = load(root, {"mess.py": text.encode()})
    done = repair(config, sources)
    (stale,) = done.files
    return stale.new.decode()


@pytest.fixture(scope="module")
def tidy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The mess as it is after its repairs."""
    root = tmp_path_factory.mktemp("mess")
    config, sources = load(root, {"mess.py": MESS})
    done = check(config, sources)
    kinds = {change.repair.kind for change in done.changes}
    assert kinds == {
        "docstring", "entry", "inject", "next", "nothing", "returns", "type", "unknown", "verb"
    }  # fmt: skip
    (stale,) = done.files
    return stale.new.decode()


@pytest.mark.parametrize("variant", VARIANTS)
def test_form_of_a_file_is_kept(tmp_path: Path, tidy: str, variant: str) -> None:
    """Line ends, tabs, form feeds, a missing last line end: what is repaired has the file's own form."""
    vary = VARIANTS[variant]
    found = whole(tmp_path, vary(MESS))
    assert found == vary(tidy)


@pytest.mark.parametrize("step", [" ", "  ", "   ", "        ", "\t  "])
def test_odd_indentation_is_sound(tmp_path: Path, step: str) -> None:
    """However deep a file indents, what is repaired is what was said, and Python."""
    check(*load(tmp_path, {"mess.py": indented(MESS, step)}))
