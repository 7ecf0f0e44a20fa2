"""The table of languages: a row for each grammar."""

from __future__ import annotations

import builtins
import enum
import io
import re
from types import SimpleNamespace
from typing import NamedTuple

from assay.validators.changes.language_table import language_of
from assay.validators.languages.engine.library_names import (
    CSHARP_KNOWN,
    KOTLIN_FUNCTIONS,
    KOTLIN_TYPES,
    RUBY_MEMBERS,
    SCRIPT_GLOBALS,
    SCRIPT_METHODS,
)
from assay.validators.languages.engine.prepared import without_item_macros, without_marks
from assay.validators.languages.engine.row import Row

_METHODS_OF_VALUES = frozenset(
    name
    for kind in (str, bytes, list, dict, set, tuple, int, float, io.TextIOWrapper, io.BytesIO)
    for name in dir(kind)
    if not name.startswith("_")
)
_PYTHON_CONTAINERS = (
    "list List tuple Tuple set Set frozenset FrozenSet Sequence MutableSequence Iterable Iterator Generator Collection "
    "AsyncIterator AsyncIterable AsyncGenerator deque Deque dict Dict Mapping MutableMapping OrderedDict defaultdict "
    "DefaultDict"
)


class _Sample(enum.Enum):
    one = 1


class _Fields(NamedTuple):
    """What any named tuple has."""


_PYTHON_KNOWN: dict[str, object] = {
    **{name: kind if isinstance(kind, type) else object for name, kind in vars(builtins).items()},
    **dict.fromkeys(("Enum", "IntEnum", "StrEnum", "Flag"), _Sample.one),
    **dict.fromkeys(("ABC", "Generic", "Protocol"), object),
    "NamedTuple": _Fields(),
    "TypedDict": dict,
}
PYTHON = Row(
    "python",
    "tree_sitter_python",
    ("python",),
    re.compile(r"([A-Za-z_]\w*(?:\s*\.\s*\w+)*)\s*(?:\[(.*)\])?\s*$", re.DOTALL),
    wrappers=frozenset(
        "Optional Union Annotated Final ClassVar Required NotRequired Awaitable Coroutine type Type".split()
    ),
    containers=frozenset(_PYTHON_CONTAINERS.split()),
    vague=("Any", "None", "Callable"),
    own_type=("Self",),
    collected=re.compile(r"^(?!(?:.*/)?(?:conftest|__init__)\.py$)"),
    unnamed=frozenset("str int bool float object list dict tuple set bytes super isinstance len".split()),
    private=re.compile(r"_(?!_.*__$)"),
    common=_METHODS_OF_VALUES,
    listed=re.compile(r"(?:.*/)?__init__\.pyi?$"),
    known=_PYTHON_KNOWN,
    everywhere=frozenset((*dir(object), *dir(type))),
    hoists=True,
    has_fixtures=True,
    runs_on_import=True,
    runs_class_body=True,
)


_SCRIPT_MEMBERS = (
    "constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf name length "
    "prototype apply bind call caller arguments"
)


def _script(grammar: str, dialect: str, *queries: str) -> Row:
    return Row(
        "javascript",
        grammar,
        ("scripts", *queries),
        re.compile(r"(?:readonly\s+)?([A-Za-z_$][\w$]*(?:\.[\w$]+)*)\s*(?:<(.*)>)?\s*$", re.DOTALL),
        dialect=dialect,
        wrappers=frozenset("Promise Readonly Partial Required Awaited".split()),
        containers=frozenset("Array ReadonlyArray Set Map Iterable".split()),
        vague=("any", "unknown", "undefined", "null"),
        common=frozenset(SCRIPT_METHODS.split()),
        listed=re.compile(""),
        known=dict.fromkeys(SCRIPT_GLOBALS.split()),
        everywhere=frozenset(_SCRIPT_MEMBERS.split()),
        counts_arguments=dialect != "language",
        hoists=True,
        has_exports=True,
        runs_on_import=True,
        imports_any=True,
    )


SCRIPTS = {
    "javascript": _script("tree_sitter_javascript", "language", "javascript", "jsx"),
    "typescript": _script("tree_sitter_typescript", "language_typescript", "typescript"),
    "tsx": _script("tree_sitter_typescript", "language_tsx", "typescript", "jsx"),
}
"""Grammar of a script -> its row."""


def script_row(path: str) -> Row:
    """Return the row of a script by its suffix; JavaScript's for other suffixes."""
    row = language_of(path)
    return SCRIPTS.get(row.parser or "" if row is not None else "", SCRIPTS["javascript"])


GO = Row(
    "go",
    "tree_sitter_go",
    ("go",),
    re.compile(r"[(\s]*(?:\w+\s+)?[*&\s]*([A-Za-z_]\w*(?:\.\w+)?)\s*(?:\[[^\]]*\])?\s*(?:[,)]|$)()"),
    collected=re.compile(r"_test\.go$"),
    skipped=re.compile(r"(?:^|/)testdata/|(?:^|/)[_.]"),  # by the go tool, unless an import names their package
    private=re.compile(r"[_a-z]"),
    unnamed=("_", "init", "main"),
    common=frozenset(
        "Error String Close Lock Unlock RLock RUnlock Fatal Fatalf Errorf Helper Done Wait Len Bytes".split()
    ),
    is_structural=True,
)
_C_TYPE = re.compile(
    r"(?:(?:const|volatile|struct|class|union|enum|typename)\s+)*(?:::)?([A-Za-z_]\w*(?:::\w+)*)\s*(?:<(.*)>)?[\s*&]*(?:const)?\s*$",
    re.DOTALL,
)
_C_COMMON = frozenset(
    "size data begin end len next prev value type name get set push_back clear empty c_str str".split()
)


def _c_family(grammar: str, *queries: str, is_cpp: bool) -> Row:
    return Row(
        "cpp",
        grammar,
        ("c_family", *queries),
        _C_TYPE,
        separator="::",
        containers=frozenset("vector list deque set unordered_set span map unordered_map".split()),
        vague=("auto", "void"),
        collected=re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_(?:unit)?tests?|tests?)\.(?:c|cc|cpp|cxx)$"),
        skipped=re.compile(r"(?:^|/)(?:third_party|3rdparty|vendor|deps)/"),
        unnamed=("main", "std"),
        common=_C_COMMON,
        prepared=without_marks,
        has_implicit_this=is_cpp,
        has_overloads=is_cpp,
        has_macros=True,
        imports_any=True,
    )


C = _c_family("tree_sitter_c", "c", is_cpp=False)
CPP = _c_family("tree_sitter_cpp", "cpp", is_cpp=True)
_RUST_MEMBERS = (
    "as_bytes as_deref as_mut as_ref as_slice as_str await bytes chars clear clone cloned cmp collect contains "
    "copied count drain entry enumerate eq err expect extend filter find first flush fmt fold from get get_mut hash "
    "insert into into_iter is_empty is_err is_none is_ok is_some iter iter_mut join keys last len lines lock map "
    "map_err next ok or_else parse poll pop push push_str read remove replace retain rev skip sort split take then "
    "to_owned to_string to_vec trim unwrap unwrap_or values write write_all zip"
)
_RUST_TRAITS = {
    "Clone": "clone clone_from",
    "Copy Send Sync Sized Unpin Eq UnwindSafe RefUnwindSafe": "",
    "Debug Display Binary LowerHex UpperHex": "fmt",
    "Default": "default",
    "Drop": "drop",
    "Hash": "hash hash_slice",
    "PartialEq": "eq ne",
    "PartialOrd": "partial_cmp lt le gt ge",
    "Ord": "cmp max min clamp",
    "From Into": "from into",
    "TryFrom TryInto": "try_from try_into",
    "FromStr": "from_str",
    "AsRef": "as_ref",
    "AsMut": "as_mut",
    "Borrow": "borrow",
    "Error": "source description cause provide",
    "IntoIterator": "into_iter",
    "FromIterator": "from_iter",
    "Future": "poll",
    "Index": "index",
    "Serialize": "serialize",
    "Deserialize": "deserialize",
}
_RUST_KNOWN: dict[str, object] = {
    name: SimpleNamespace(**dict.fromkeys(members.split()))
    for names, members in _RUST_TRAITS.items()
    for name in names.split()
}
"""Traits of the standard library that types often implement -> what has their members."""
RUST = Row(
    "rust",
    "tree_sitter_rust",
    ("rust",),
    re.compile(
        r"(?:&\s*)*(?:'\w+\s+)?(?:mut\s+)?(?:dyn\s+|impl\s+)?(?:::)?([A-Za-z_]\w*(?:::\w+)*)\s*(?:::)?(?:<(.*)>)?\s*$",
        re.DOTALL,
    ),
    separator="::",
    relative=("self", "super", "crate"),
    wrappers=("Box", "Rc", "Arc"),
    containers=frozenset("Option Result Vec VecDeque HashSet BTreeSet HashMap BTreeMap".split()),
    own_type=("Self",),
    collected=re.compile(r"(?:^|/)tests/(?:[^/]+|[^/]+/main)\.rs$"),
    skipped=re.compile(r"(?:^|/)(?:target|vendor)/"),
    unnamed=("_", "main", "Self"),
    common=frozenset(_RUST_MEMBERS.split()),
    known=_RUST_KNOWN,
    everywhere=frozenset(
        "borrow borrow_mut clone from into to_owned to_string try_from try_into type_id await".split()
    ),
    prepared=without_item_macros,
    has_overloads=True,
    has_public=True,
    imports_any=True,
)
_THROWN = (
    "getMessage getLocalizedMessage getCause initCause printStackTrace fillInStackTrace getStackTrace addSuppressed "
    "getSuppressed"
)
_JAVA_MEMBERS = {
    "AutoCloseable Closeable": "close",
    "Flushable": "flush",
    "Appendable": "append",
    "Cloneable Serializable EventListener RandomAccess Object Record Enum": "",
    "Comparable": "compareTo",
    "Comparator": "compare reversed thenComparing thenComparingInt thenComparingLong thenComparingDouble",
    "Callable": "call",
    "Runnable": "run",
    "Iterable": "iterator forEach spliterator",
    "Iterator": "hasNext next remove forEachRemaining",
    "Consumer BiConsumer": "accept andThen",
    "Supplier": "get",
    "Function BiFunction UnaryOperator BinaryOperator": "apply compose andThen",
    "Predicate BiPredicate": "test and or negate",
    "CharSequence": "length charAt subSequence chars codePoints isEmpty",
    "Throwable Exception RuntimeException Error IOException IllegalArgumentException IllegalStateException": _THROWN,
}
_JAVA_KNOWN: dict[str, object] = {
    name: SimpleNamespace(**dict.fromkeys(members.split()))
    for names, members in _JAVA_MEMBERS.items()
    for name in names.split()
}
"""Types of the JDK that classes often extend -> what has their members."""
JAVA = Row(
    "java",
    "tree_sitter_java",
    ("java",),
    re.compile(r"(?:@\w+\s+)*([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\s*(?:<(.*)>)?\s*$", re.DOTALL),
    collected=re.compile(r"(?:^|/)Test\w*\.java$|(?:Tests?|TestCase|IT)\.java$"),
    common=frozenset(
        "toString equals hashCode get put add size length isEmpty contains append remove iterator next hasNext".split()
    ),
    everywhere=frozenset(
        "toString equals hashCode getClass notify notifyAll wait clone finalize name ordinal values valueOf compareTo "
        "getDeclaringClass describeConstable".split()
    ),
    known=_JAVA_KNOWN,
    skipped=re.compile(r"(?:^|/)src/\w+/(?:archetype-)?resources/|(?:^|/)(?:testdata|docs)/"),
    has_implicit_this=True,
    has_overloads=True,
    has_public=True,
)
_PHP_THROWN = "message code file line previous getMessage getPrevious getCode getFile getLine getTrace getTraceAsString"
PHP = Row(
    "php",
    "tree_sitter_php",
    ("php",),
    re.compile(r"\??(\\?[A-Za-z_\x80-\uffff]\w*(?:\\\w+)*)()\s*$"),
    dialect="language_php",
    separator="\\",
    vague=frozenset(
        "mixed null array callable iterable object string int float bool void never false true resource".split()
    ),
    own_type=("self", "static"),
    collected=re.compile(r"Test\.php$|(?:^|/)tests/.*\.phpt$"),
    skipped=re.compile(r"(?:^|/)vendor/"),
    common=frozenset("get set has add all count toArray getName current key next rewind valid offsetGet".split()),
    known={
        name: SimpleNamespace(**dict.fromkeys(_PHP_THROWN.split()))
        for name in "Throwable Exception RuntimeException LogicException InvalidArgumentException DomainException "
        "BadMethodCallException BadFunctionCallException LengthException OutOfRangeException OutOfBoundsException "
        "RangeException OverflowException UnderflowException UnexpectedValueException Error TypeError ErrorException "
        "JsonSerializable Stringable Countable IteratorAggregate ArrayAccess".split()
    },
    everywhere=frozenset("class cases from tryFrom name value".split()),
    hoists=True,
    ignores_more=True,
    imports_any=True,
)
_RUBY_THROWN = "message full_message backtrace backtrace_locations cause detailed_message exception set_backtrace"
RUBY = Row(
    "ruby",
    "tree_sitter_ruby",
    ("ruby",),
    re.compile(r"((?:::)?[A-Z]\w*(?:::[A-Z]\w*)*)()$"),
    separator="::",
    collected=re.compile(r"_(?:spec|test)\.rb$|(?:^|/)test_[^/]*\.rb$"),
    skipped=re.compile(r"(?:^|/)vendor/"),
    unnamed=frozenset("require require_relative private public protected raise puts attr_reader".split()),
    common=frozenset(
        "each map select reject to_s to_a to_h to_i to_sym size length empty? first last join split include? key? "
        "keys values merge fetch dig push call new name class nil? is_a? find any? all? strip gsub sub match? "
        "freeze dup each_with_object sort sort_by group_by sum min max uniq compact flatten flat_map delete concat "
        "update open read write close path".split()
    ),
    known={
        name: SimpleNamespace(**dict.fromkeys(_RUBY_THROWN.split()))
        for name in "Object BasicObject Exception StandardError RuntimeError ArgumentError TypeError IOError NameError "
        "NoMethodError NotImplementedError LoadError KeyError IndexError RangeError ScriptError SecurityError".split()
    },
    everywhere=frozenset(RUBY_MEMBERS.split()),
    hoists=True,
    nests=True,
)
KOTLIN = Row(
    "kotlin",
    "tree_sitter_kotlin",
    ("kotlin",),
    re.compile(r"(?:@\w+\s+)*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*(?:<(.*)>)?\s*\??$", re.DOTALL),
    vague=("Any", "Unit", "Nothing"),
    containers=frozenset(
        "List MutableList Set MutableSet Collection Iterable Sequence Array Map MutableMap Flow".split()
    ),
    collected=re.compile(r"(?:^|/)Test\w*\.kt$|(?:Tests?|TestCase|IT|Spec)\.kt$"),
    unnamed=frozenset("_ it field main this super null true false continue break".split()),
    common=frozenset(
        "toString equals hashCode get set put add size length isEmpty contains append remove iterator next hasNext let "
        "also apply run use map filter forEach first last toList joinToString".split()
    ),
    everywhere=frozenset(
        "toString equals hashCode javaClass name ordinal values valueOf entries compareTo declaringClass copy let also "
        "apply run takeIf takeUnless to serializer Companion component1 component2 component3 component4".split()
    ),
    known=_JAVA_KNOWN | dict.fromkeys((*KOTLIN_FUNCTIONS.split(), *KOTLIN_TYPES.split()), None),
    skipped=re.compile(r"(?:^|/)src/\w+/resources/|(?:^|/)(?:testdata|testData|docs)/|\.kts$"),
    has_implicit_this=True,
    has_overloads=True,
    has_extensions=True,
    has_receivers=True,
    narrows=True,
)
CSHARP = Row(
    "csharp",
    "tree_sitter_c_sharp",
    ("csharp",),
    re.compile(r"(?:global::)?([A-Za-z_@]\w*(?:\.[A-Za-z_]\w*)*)\s*(?:<(.*)>)?\s*\??$", re.DOTALL),
    wrappers=("Task", "ValueTask"),
    containers=frozenset(
        "List IList IEnumerable ICollection IReadOnlyList IReadOnlyCollection IAsyncEnumerable HashSet ISet".split()
    ),
    vague=("object", "dynamic", "var", "void"),
    collected=re.compile(r"(?:Tests?|Specs?|Facts?|Fixtures?|Scenarios?|(?:^|/)Issue\d+)\.cs$"),
    unnamed=frozenset("_ value var nameof".split()),
    common=frozenset(
        "ToString Equals GetHashCode GetType Dispose Add Remove Clear Contains Count Length Any First FirstOrDefault "
        "Select Where ToList ToArray".split()
    ),
    everywhere=frozenset(
        "ToString Equals GetHashCode GetType MemberwiseClone ReferenceEquals Finalize HasFlag CompareTo Invoke "
        "BeginInvoke EndInvoke DynamicInvoke Method Target Combine Deconstruct PrintMembers EqualityContract".split()
    ),
    known=CSHARP_KNOWN,
    skipped=re.compile(r"(?:^|/)(?:bin|obj|testdata|TestData)/"),
    has_implicit_this=True,
    has_overloads=True,
    has_public=True,
    has_extensions=True,
    has_directives=True,
    counts_types=True,
)
ROWS = {
    **SCRIPTS,
    "jsx": SCRIPTS["tsx"],
    **{row.name: row for row in (GO, JAVA, KOTLIN, CSHARP, PHP, PYTHON, RUBY, RUST)},
    "c": C,
    "c-header": CPP,
    "cpp": CPP,
}
"""Key in the table of languages -> its row."""
