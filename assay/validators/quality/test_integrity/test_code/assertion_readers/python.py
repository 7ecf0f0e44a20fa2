"""Assertions of a Python test: `assert`, `pytest.raises` and `warns`, and the methods of unittest and NumPy."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator

from assay.validators.languages.python.names import last_name
from assay.validators.languages.python.trees import nodes, parsed
from assay.validators.quality.test_integrity.test_code.assertion_readers.assertions import (
    Assertion,
    Claim,
    Strength,
    either,
    opaque,
)
from assay.validators.quality.test_integrity.test_code.found_tests import FoundTest

_Test = ast.FunctionDef | ast.AsyncFunctionDef
_BROAD = frozenset(("Exception", "BaseException", "Warning"))
_RAISES = frozenset(
    "raises warns deprecated_call assertRaises assertRaisesRegex assertWarns assertWarnsRegex "
    "assertRaisesMessage RaisesGroup".split()
)
_NUMBERED = frozenset("abs rel atol rtol delta places decimal abs_tol rel_tol significant".split())
_CLOSE = frozenset(
    "assertAlmostEqual assertAlmostEquals assert_allclose assert_almost_equal assert_array_almost_equal "
    "assert_approx_equal isclose allclose".split()
)
_PAIR = Strength.by_name(
    exact="assertEqual assertEquals assertDictEqual assertListEqual assertTupleEqual assertSetEqual "
    "assertSequenceEqual assertMultiLineEqual assertIs assertJSONEqual assertXMLEqual assertHTMLEqual "
    "assertQuerySetEqual assertQuerysetEqual assert_equal assert_array_equal assert_frame_equal assert_series_equal",
    structure="assertCountEqual assertItemsEqual assertContains assertRegex assertNotRegex assertNotContains",
    range="assertGreater assertGreaterEqual assertLess assertLessEqual assertNotEqual assertNotEquals assertIsNot "
    "assertNotAlmostEqual",
    type="assertIsInstance assertNotIsInstance",
)
_ONE = {"assertIsNone": (Strength.exact, "None"), "assertIsNotNone": (Strength.existence, "")}
_MOCKS = Strength.by_name(
    exact="assert_called_once_with assert_called_with assert_not_called assert_awaited_once_with assert_awaited_with "
    "assert_not_awaited",
    structure="assert_has_calls assert_any_call assert_called_once assert_awaited_once",
    existence="assert_called assert_awaited",
)
_SAME, _OTHER = (ast.Eq, ast.Is), (ast.NotEq, ast.IsNot)
_PART_OF = frozenset("startswith endswith issubset issuperset match search fullmatch".split())


def assertions_of(test: FoundTest) -> list[Assertion] | None:
    """Return every assertion of a Python test in order; None if the file does not parse."""
    tree = parsed(test.source.text)
    node = None if tree is None else _function(tree, test)
    try:
        return None if node is None else list(_AssertionReader(node, test).read())
    except RecursionError:
        return None


def _function(tree: ast.Module, test: FoundTest) -> _Test | None:
    bare = test.name.rpartition(".")[2]
    found = (
        node
        for node in nodes(tree)
        if isinstance(node, _Test) and node.name == bare and test.start <= node.lineno <= test.end
    )
    return min(found, key=lambda node: node.lineno, default=None)


class _AssertionReader:
    """Reader of one test's assertions."""

    def __init__(self, node: _Test, test: FoundTest) -> None:
        self._node = node
        self._test = test
        self._assigned = _assigned_once(node)

    def read(self) -> Iterator[Assertion]:
        """Yield the assertions in line order."""
        waiting: list[ast.AST] = list(reversed(self._node.body))
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Assert):
                yield from self._claimed(node, _claims(node.test))
                continue
            if isinstance(node, (ast.With, ast.AsyncWith)):
                for item in node.items:
                    yield from self._expected(node, item.context_expr, node.body)
            elif isinstance(node, ast.Expr):
                yield from self._called(node)
            waiting.extend(
                child for child in reversed(list(ast.iter_child_nodes(node))) if not isinstance(child, ast.expr)
            )

    def _claimed(self, node: ast.stmt, claims: list[Claim]) -> Iterator[Assertion]:
        text = self._text(node)
        for claim in claims:
            resolved = self._resolved(claim.subject)
            yield Assertion(claim.subject, claim.strength, claim.expected, node.lineno, text, resolved, claim.tolerance)

    def _text(self, node: ast.stmt) -> str:
        lines = self._test.source.lines
        last = (
            node.items[-1].context_expr.end_lineno if isinstance(node, (ast.With, ast.AsyncWith)) else node.end_lineno
        )
        return "\n".join(lines[node.lineno - 1 : last])

    def _called(self, node: ast.Expr) -> Iterator[Assertion]:
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if not isinstance(call, ast.Call):
            return
        name = last_name(call.func)
        if name in _RAISES:
            yield from self._expected(node, call, call.args[1:])
            return
        claims = _claims_of_call(call, name)
        if claims is not None:
            yield from self._claimed(node, claims)
        elif node.lineno in self._test.asserts:
            yield opaque(ast.unparse(node), node.lineno)

    def _expected(
        self, node: ast.stmt, context: ast.expr, body: list[ast.stmt] | list[ast.expr]
    ) -> Iterator[Assertion]:
        """Yield an expected exception or warning: exact with a message, a type without, existence for any exception."""
        if not isinstance(context, ast.Call) or (name := last_name(context.func)) not in _RAISES:
            return
        first = context.args[0] if context.args else ast.Name("DeprecationWarning")
        kinds = [ast.unparse(each) for each in (first.elts if isinstance(first, ast.Tuple) else [first])]
        words = [word for node in ast.walk(context) if isinstance(node, ast.Call) for word in node.keywords]
        message = next((ast.unparse(word.value) for word in words if word.arg == "match"), "")
        if any(kind.rpartition(".")[2] in _BROAD for kind in kinds):
            strength = Strength.existence
        else:
            strength = Strength.exact if message or name.endswith(("Regex", "Message")) else Strength.type
        what = "; ".join(ast.unparse(each) for each in body)[:400]
        subject = f"{'warns' if 'arn' in name or name == 'deprecated_call' else 'raises'} {what}"
        expected = "|".join(sorted(kinds)) + (f" {message}" if message else "")
        yield Assertion(subject, strength, expected, node.lineno, self._text(node), subject, is_raise=True)

    def _resolved(self, subject: str) -> str:
        if not self._assigned or len(subject) > 500:
            return subject
        try:
            tree = ast.parse(subject, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return subject
        for _ in range(3):
            tree = ast.fix_missing_locations(_Replaced(self._assigned).visit(tree))
        return ast.unparse(tree)[:600]


class _Replaced(ast.NodeTransformer):
    """Transformer that replaces local names by their assigned values."""

    def __init__(self, assigned: dict[str, ast.expr]) -> None:
        self._assigned = assigned

    def visit_Name(self, node: ast.Name) -> ast.expr:
        found = self._assigned.get(node.id)
        return node if found is None else copy.deepcopy(found)


def _assigned_once(function: _Test) -> dict[str, ast.expr]:
    """Return local names that are bound once, by a plain assignment, with their values."""
    bound: Counter[str] = Counter()
    values: dict[str, ast.expr] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound[node.id] += 1
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = node.value.value if isinstance(node.value, ast.Await) else node.value
            if sum(1 for _ in ast.walk(value)) <= 40:
                values[node.targets[0].id] = value
    return {
        name: value
        for name, value in values.items()
        if bound[name] == 1 and not any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(value))
    }


def _is_written_out(node: ast.expr) -> bool:
    """Return whether an expression is a value without names and calls."""
    return not any(isinstance(each, (ast.Name, ast.Call, ast.Attribute, ast.JoinedStr)) for each in ast.walk(node))


def _claims(test: ast.expr, *, denied: bool = False) -> list[Claim]:
    """Return the claim of a condition, negated if `denied`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _claims(test.operand, denied=not denied)
    if isinstance(test, ast.BoolOp):
        inner = [claim for value in test.values for claim in _claims(value, denied=denied)]
        together = isinstance(test.op, ast.And) is not denied
        return inner if together else [either(inner, ast.unparse(test))]
    if isinstance(test, (ast.NamedExpr, ast.Await)):
        return _claims(test.value, denied=denied)
    if isinstance(test, ast.Compare):
        is_chain = len(test.ops) > 1 and all(isinstance(each, _SAME) for each in test.ops) and not denied
        return [_compared(each, denied=denied) for each in (_pairs(test) if is_chain else [test])]
    if isinstance(test, ast.Call) and (found := _claims_of_predicate(test)) is not None:
        return [found]
    if isinstance(test, ast.Constant):
        return [Claim(ast.unparse(test), Strength.none)]
    return [Claim(ast.unparse(test), Strength.truth, "falsy" if denied else "truthy")]


def _pairs(chain: ast.Compare) -> list[ast.Compare]:
    """Return `a == b` and `b == c` for `a == b == c`."""
    values = [chain.left, *chain.comparators]
    return [ast.Compare(values[at], [one], [values[at + 1]]) for at, one in enumerate(chain.ops)]


def _compared(test: ast.Compare, *, denied: bool) -> Claim:
    if len(test.ops) > 1:
        return Claim(ast.unparse(test.comparators[0]), Strength.range, ast.unparse(test))
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(operator, _SAME + _OTHER):
        return _equal(left, right) if isinstance(operator, _SAME) is not denied else _unequal(left, right)
    if isinstance(operator, (ast.In, ast.NotIn)):
        return _contained(left, right, is_in=isinstance(operator, ast.In) is not denied)
    if _is_written_out(left) and not _is_written_out(right):
        left, right = right, left
    expected = ast.unparse(ast.Compare(ast.Name("_"), [operator], [right]))
    measured = _measured(left)
    if measured is not None and expected in ("_ > 0", "_ >= 1"):
        return Claim(ast.unparse(measured), Strength.existence)
    return Claim(ast.unparse(measured or left), Strength.range, f"{'not ' if denied else ''}{expected}")


def _contained(part: ast.expr, whole: ast.expr, *, is_in: bool) -> Claim:
    """Return the claim of `in`: `x in (200, 201)` is a choice of values, `"word" in text` a part of the text."""
    word = "in" if is_in else "not in"
    is_choice = isinstance(whole, (ast.Tuple, ast.List, ast.Set)) or _name_of_call(whole) == "range"
    if is_choice and not _is_written_out(part):
        return Claim(ast.unparse(part), Strength.range, f"{word} {ast.unparse(whole)}")
    return Claim(ast.unparse(whole), Strength.structure, f"{ast.unparse(part)} {word}")


def _measured(node: ast.expr) -> ast.expr | None:
    """Return `x` if the expression is `len(x)` or `x.call_count`."""
    if isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1:
        return node.args[0]
    return node.value if isinstance(node, ast.Attribute) and node.attr in ("call_count", "await_count") else None


def _equal(left: ast.expr, right: ast.expr) -> Claim:
    if (_is_written_out(left) or _name_of_call(left) == "approx") and not _is_written_out(right):
        left, right = right, left
    if isinstance(right, ast.Constant) and isinstance(right.value, bool):
        return Claim(ast.unparse(left), Strength.truth, str(right.value).lower())
    measured = _measured(left)
    if measured is not None:
        return Claim(ast.unparse(measured), Strength.structure, f"len {ast.unparse(right)}")
    if isinstance(left, ast.Call) and last_name(left.func) == "type" and len(left.args) == 1:
        return Claim(ast.unparse(left.args[0]), Strength.type, ast.unparse(right))
    if isinstance(right, ast.Call) and last_name(right.func) == "approx" and right.args:
        return _close(right, left, right.args[0], 1e-6)
    if _name_of_call(right) == "ANY" or (isinstance(right, (ast.Name, ast.Attribute)) and last_name(right) == "ANY"):
        return Claim(ast.unparse(left), Strength.none, "ANY")
    return Claim(ast.unparse(left), Strength.exact, ast.unparse(right))


def _name_of_call(node: ast.expr) -> str:
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def _unequal(left: ast.expr, right: ast.expr) -> Claim:
    if _is_written_out(left) and not _is_written_out(right):
        left, right = right, left
    if isinstance(right, ast.Constant) and right.value is None:
        return Claim(ast.unparse(left), Strength.existence)
    return Claim(ast.unparse(_measured(left) or left), Strength.range, f"!= {ast.unparse(right)}")


def _claims_of_predicate(call: ast.Call) -> Claim | None:
    """Return the claim of a call inside an `assert`; None for an ordinary call."""
    name = last_name(call.func)
    if name in ("isinstance", "issubclass") and len(call.args) == 2:
        return Claim(ast.unparse(call.args[0]), Strength.type, ast.unparse(call.args[1]))
    if name in ("hasattr", "callable", "any", "bool") and call.args:
        return Claim(ast.unparse(call.args[0]), Strength.existence)
    if name in _PART_OF and isinstance(call.func, ast.Attribute):
        is_module = isinstance(call.func.value, ast.Name) and call.func.value.id == "re" and len(call.args) > 1
        subject = call.args[1] if is_module else call.func.value
        return Claim(ast.unparse(subject), Strength.structure, ast.unparse(call))
    if name in _CLOSE and len(call.args) >= 2:
        return _close(call, call.args[0], call.args[1], 1e-9)
    return None


def _claims_of_call(call: ast.Call, name: str) -> list[Claim] | None:
    """Return the claim of an assertion method; None for an unknown one."""
    arguments = call.args
    if name in ("assertTrue", "assert_", "failUnless") and arguments:
        return _claims(arguments[0])
    if name in ("assertFalse", "failIf") and arguments:
        return _claims(arguments[0], denied=True)
    if name in _ONE and arguments:
        strength, expected = _ONE[name]
        return [Claim(ast.unparse(arguments[0]), strength, expected)]
    if name in ("assertIn", "assertNotIn") and len(arguments) >= 2:
        return [_contained(arguments[0], arguments[1], is_in=name == "assertIn")]
    if name in (_PAIR.keys() | _CLOSE) and len(arguments) >= 2:
        return [_claim_of_pair(call, name)]
    if name in _MOCKS and isinstance(call.func, ast.Attribute):
        given = ", ".join(ast.unparse(each) for each in (*arguments, *(word.value for word in call.keywords)))
        return [Claim(ast.unparse(call.func.value), _MOCKS[name], f"{name}({given})")]
    return None


def _claim_of_pair(call: ast.Call, name: str) -> Claim:
    """Return the claim of a two-argument method about its non-literal argument."""
    first, second = call.args[:2]
    if _PAIR.get(name) is Strength.exact:
        return _equal(first, second)
    if _is_written_out(first) and not _is_written_out(second):
        first, second = second, first
    if name in _CLOSE:
        return _close(call, first, second, 1e-7)
    return Claim(ast.unparse(first), _PAIR[name], f"{name} {ast.unparse(second)}")


def _close(call: ast.Call, subject: ast.expr, expected: ast.expr, tolerance: float) -> Claim:
    """Return the claim of a call that compares within a tolerance, `tolerance` by default."""
    found = _tolerance(call, expected, tolerance)
    return Claim(ast.unparse(subject), Strength.exact, ast.unparse(expected), found)


def _tolerance(call: ast.Call, expected: ast.expr, default: float) -> float | None:
    """Return the largest relative error that passes, if it is literal; None if it is computed."""
    given = {word.arg: word.value for word in call.keywords if word.arg in _NUMBERED}
    size = abs(_number(expected) or 1.0) or 1.0
    found = []
    for name, node in given.items():
        value = _number(node)
        if value is None:
            return None
        if name in ("places", "decimal"):
            found.append(0.5 * 10.0 ** -min(value, 30) / size)
        elif name in ("rel", "rtol", "rel_tol"):
            found.append(value)
        elif name == "significant":
            found.append(10.0 ** -min(value, 30))
        else:
            found.append(value / size)
    return max(found, default=default)


def _number(node: ast.expr) -> float | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return float(value) if isinstance(value, (int, float)) and abs(value) < 1e300 else None
