"""The table of languages: a row for each grammar."""

from __future__ import annotations

import builtins
import enum
import io
import re
from types import SimpleNamespace
from typing import NamedTuple

from assay.validators.changes.language_table import language_of
from assay.validators.languages.engine.library_names import CSHARP_KNOWN, KOTLIN_FUNCTIONS, KOTLIN_TYPES
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
_SCRIPT_METHODS = (
    "at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach "
    "includes indexOf join keys lastIndexOf map pop push reduce reduceRight reverse shift slice some sort "
    "splice toReversed toSorted toSpliced unshift values with add clear delete get has set size union "
    "intersection charAt charCodeAt codePointAt endsWith localeCompare match matchAll normalize padEnd "
    "padStart repeat replace replaceAll search split startsWith substring toLowerCase toUpperCase trim trimEnd "
    "trimStart then catch finally apply bind call exec test toString toJSON valueOf toFixed toPrecision "
    "getTime toISOString hasOwnProperty log info warn error debug on off once emit append remove write end "
    "pipe next return throw resolve reject all race assign freeze"
)


_SCRIPT_GLOBALS = (
    "Array ArrayBuffer Atomics BigInt Blob Boolean Buffer CustomEvent DataView Date Document DOMException Element "
    "Error Event EventTarget File FileReader FormData Function Headers HTMLElement Infinity Intl JSON Map Math "
    "NaN Node Number Object Promise Proxy RangeError Reflect RegExp Request Response Set String Symbol "
    "SyntaxError TypeError URL URLSearchParams WeakMap WeakRef WeakSet WebSocket Worker AbortController "
    "AbortSignal ReadableStream TextDecoder TextEncoder Record Partial Required Readonly Pick Omit Exclude "
    "NoInfer ConstructorParameters InstanceType ThisParameterType OmitThisParameter Uppercase Lowercase Capitalize "
    "Uncapitalize ReadonlyArray ReadonlyMap ReadonlySet PromiseLike ArrayLike TemplateStringsArray PropertyDescriptor "
    "Disposable AsyncDisposable DisposableStack AsyncDisposableStack SuppressedError AggregateError "
    "FinalizationRegistry SharedArrayBuffer Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array "
    "Uint32Array Float16Array Float32Array Float64Array BigInt64Array BigUint64Array Float Temporal "
    "TransformStream WritableStream ByteLengthQueuingStrategy CountQueuingStrategy CompressionStream "
    "DecompressionStream TextDecoderStream TextEncoderStream BroadcastChannel MessageChannel MessagePort MessageEvent "
    "KeyboardEvent MouseEvent PointerEvent TouchEvent WheelEvent DragEvent ClipboardEvent FocusEvent InputEvent "
    "UIEvent ErrorEvent ProgressEvent StorageEvent CloseEvent Node NodeList HTMLCollection DocumentFragment Range "
    "Selection MutationObserver ResizeObserver IntersectionObserver PerformanceObserver Image Audio ImageData "
    "XMLHttpRequest DOMParser DOMRect Worker ServiceWorker Notification Storage localStorage sessionStorage "
    "indexedDB caches reportError queueMicrotask scheduler Deno Bun NodeJS JSX "
    "Extract NonNullable Parameters ReturnType Awaited Iterator Iterable AsyncIterable Generator PropertyKey "
    "React ThisType addEventListener alert atob btoa cancelAnimationFrame clearImmediate clearInterval clearTimeout "
    "console crypto document exports fetch global globalThis history isNaN location module name navigator "
    "parseFloat parseInt performance process queueMicrotask require requestAnimationFrame screen self "
    "setImmediate setInterval setTimeout status structuredClone undefined window afterAll afterEach beforeAll "
    "beforeEach describe expect it jest test vi arguments"
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
        common=frozenset(_SCRIPT_METHODS.split()),
        listed=re.compile(""),
        known=dict.fromkeys(_SCRIPT_GLOBALS.split()),
        everywhere=frozenset(_SCRIPT_MEMBERS.split()),
        counts_arguments=dialect != "language",
        hoists=True,
        has_exports=True,
        runs_on_import=True,
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
_THROWN = (
    "getMessage getLocalizedMessage getCause initCause printStackTrace fillInStackTrace getStackTrace addSuppressed "
    "getSuppressed"
)
_JAVA_MEMBERS = {
    "AutoCloseable Closeable": "close",
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
)
_RUBY_MEMBERS = (
    "__id__ __send__ alias_method allocate ancestors attr attr_accessor attr_reader attr_writer autoload class "
    "class_eval class_exec class_variable_get class_variable_set class_variables clone const_defined? const_get "
    "const_missing const_set const_source_location constants define_method define_singleton_method display dup "
    "enum_for eql? equal? extend freeze frozen? hash include include? included_modules inspect instance_eval "
    "instance_exec instance_method instance_methods instance_of? instance_variable_get instance_variable_set "
    "instance_variables is_a? itself kind_of? method method_defined? methods module_eval module_exec name new nil? "
    "object_id prepend private_class_method private_constant private_methods protected_methods public_class_method "
    "public_method public_methods public_send remove_class_variable remove_instance_variable remove_method "
    "respond_to? send singleton_class singleton_methods subclasses superclass tap then to_enum to_s undef_method "
    "yield_self instance_variable_defined? initialize"
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
    everywhere=frozenset(_RUBY_MEMBERS.split()),
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
