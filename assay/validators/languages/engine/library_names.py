"""Names that libraries of languages give every file: what may stand for a name that a tree no longer has."""

from __future__ import annotations

from types import SimpleNamespace

KOTLIN_FUNCTIONS = (
    "println print readLine readln readlnOrNull listOf listOfNotNull mutableListOf arrayListOf emptyList setOf "
    "setOfNotNull mutableSetOf hashSetOf linkedSetOf emptySet sortedSetOf mapOf mutableMapOf hashMapOf linkedMapOf "
    "emptyMap sortedMapOf arrayOf arrayOfNulls emptyArray booleanArrayOf byteArrayOf charArrayOf doubleArrayOf "
    "floatArrayOf intArrayOf longArrayOf shortArrayOf ubyteArrayOf uintArrayOf ulongArrayOf ushortArrayOf "
    "sequenceOf sequence generateSequence emptySequence iterator buildString buildList buildMap buildSet lazy "
    "lazyOf require requireNotNull check checkNotNull error assert run with repeat synchronized compareBy "
    "compareByDescending compareValues compareValuesBy naturalOrder reverseOrder nullsFirst nullsLast maxOf minOf "
    "enumValues enumValueOf enumEntries runCatching suspend typeOf contract"
)
"""Functions of Kotlin's library that need no import."""
KOTLIN_TYPES = (
    "Any Unit Nothing Boolean Byte Short Int Long Float Double Char String Number UByte UShort UInt ULong Array "
    "BooleanArray ByteArray ShortArray IntArray LongArray FloatArray DoubleArray CharArray UByteArray UIntArray "
    "Iterable MutableIterable Collection MutableCollection List MutableList Set MutableSet Map MutableMap Iterator "
    "MutableIterator ListIterator Sequence Grouping IndexedValue ArrayList HashMap HashSet LinkedHashMap "
    "LinkedHashSet ArrayDeque RandomAccess Pair Triple Result Lazy LazyThreadSafetyMode Function Comparable "
    "Comparator CharSequence Appendable StringBuilder Regex RegexOption MatchResult MatchGroup Throwable Error "
    "Exception RuntimeException Annotation Enum Deprecated DeprecationLevel ReplaceWith Suppress OptIn "
    "RequiresOptIn PublishedApi DslMarker Target Retention Repeatable MustBeDocumented AnnotationTarget "
    "AnnotationRetention AutoCloseable KotlinVersion NotImplementedError NoSuchElementException "
    "UninitializedPropertyAccessException Charsets Typography IntRange LongRange CharRange ClosedRange "
    "IntProgression JvmField JvmName JvmStatic JvmOverloads JvmInline JvmSuppressWildcards JvmWildcard "
    "JvmMultifileClass JvmSynthetic JvmDefault JvmRecord Throws Synchronized Volatile Strictfp Transient TODO"
)
"""Types of Kotlin's library that need no import."""
CSHARP_TYPES = (
    "Action AggregateException AppDomain ArgumentException ArgumentNullException ArgumentOutOfRangeException Array "
    "ArrayList ArraySegment Assembly AsyncCallback AsyncLocal Attribute AttributeTargets AttributeUsage "
    "AutoResetEvent Barrier BinaryReader BinaryWriter BitArray BitConverter BlockingCollection Boolean Buffer "
    "BufferedStream Byte CallerArgumentExpression CallerFilePath CallerLineNumber CallerMemberName "
    "CancellationToken CancellationTokenSource Capture Channel Char Collection CompareInfo Comparer Comparison "
    "ConcurrentBag ConcurrentDictionary ConcurrentQueue ConcurrentStack Conditional ConditionalWeakTable Console "
    "ConstructorInfo Convert Converter CountdownEvent CultureInfo DateOnly DateTime DateTimeKind DateTimeOffset "
    "DateTimeStyles DayOfWeek DBNull Debug Debugger DebuggerDisplay DebuggerStepThrough Decimal DefaultValue "
    "Delegate Dictionary DictionaryEntry Directory DirectoryInfo DivideByZeroException Double EditorBrowsable "
    "Encoding Enum Enumerable Environment EqualityComparer EventArgs EventHandler EventInfo Exception "
    "ExcludeFromCodeCoverage ExecutionContext ExpandoObject Expression File FileAccess FileInfo FileMode "
    "FileNotFoundException FileShare FileStream FormatException FormattableString Func Future GC Group Guid "
    "HashCode Hashtable HashSet HttpClient HttpMethod HttpRequestMessage HttpResponseMessage IAsyncDisposable "
    "IAsyncEnumerable IAsyncEnumerator IAsyncResult ICloneable ICollection IComparable IComparer IConvertible "
    "IDictionary IDictionaryEnumerator IDisposable IEnumerable IEnumerator IEqualityComparer IEquatable "
    "IFormatProvider IFormattable IList ILookup Index IndexOutOfRangeException Int16 Int32 Int64 Interlocked IntPtr "
    "InvalidCastException InvalidDataException InvalidOperationException IObservable IObserver IOException "
    "IOrderedEnumerable IProgress IQueryable IReadOnlyCollection IReadOnlyDictionary IReadOnlyList IReadOnlySet "
    "ISerializable ISet IServiceProvider IsExternalInit KeyedCollection KeyNotFoundException KeyValuePair Lazy "
    "LazyInitializer LinkedList LinkedListNode List Lock Lookup ManualResetEvent ManualResetEventSlim "
    "MarshalByRefObject Match Math MathF MemberInfo Memory MemoryStream MethodBase MethodImpl MethodImplOptions "
    "MethodInfo Module Monitor MulticastDelegate Mutex NameValueCollection NonSerialized NotImplementedException "
    "NotNullWhen NotSupportedException Nullable NullReferenceException NumberStyles Object ObjectDisposedException "
    "ObservableCollection Obsolete OperationCanceledException OutOfMemoryException OverflowException Parallel "
    "ParameterInfo Path PeriodicTimer Predicate PriorityQueue Process Progress PropertyInfo Queryable Queue Random "
    "Range ReaderWriterLock ReaderWriterLockSlim ReadOnlyCollection ReadOnlyDictionary ReadOnlyMemory ReadOnlySpan "
    "Regex RegexOptions RuntimeHelpers SByte SearchOption SeekOrigin Semaphore SemaphoreSlim Serializable "
    "SerializationInfo Single SortedDictionary SortedList SortedSet Span SpinLock SpinWait Stack "
    "StackOverflowException StackTrace Stopwatch Stream StreamReader StreamWriter String StringBuilder "
    "StringComparer StringComparison StringReader StringSplitOptions StringWriter SynchronizationContext "
    "SystemException Task TaskCanceledException TaskCompletionSource TaskContinuationOptions TaskCreationOptions "
    "TaskFactory TaskScheduler TextInfo TextReader TextWriter Thread ThreadLocal ThreadPool ThreadStatic TimeOnly "
    "TimeoutException Timer TimeProvider TimeSpan TimeZoneInfo Trace Tuple Type TypeCode TypeInfo UInt16 UInt32 "
    "UInt64 UnauthorizedAccessException UnicodeCategory Uri UriBuilder UriKind ValueTask ValueTuple ValueType "
    "Version Void Volatile WaitHandle WeakReference XDocument XElement XmlReader XmlWriter"
)
"""Types of .NET in the namespaces that most files use."""
_CSHARP_MEMBERS = {
    "IDisposable": "Dispose",
    "IAsyncDisposable": "DisposeAsync",
    "IEquatable": "",
    "IComparable": "CompareTo",
    "EventArgs": "Empty",
    "Attribute": "TypeId Match IsDefaultAttribute",
    "Exception ArgumentException InvalidOperationException NotSupportedException ApplicationException IOException": (
        "Message StackTrace InnerException Data Source HelpLink TargetSite HResult GetBaseException GetObjectData "
        "ParamName SerializeObjectState"
    ),
}
CSHARP_KNOWN: dict[str, object] = {
    **dict.fromkeys(CSHARP_TYPES.split()),
    **{
        name: SimpleNamespace(**dict.fromkeys(members.split()))
        for names, members in _CSHARP_MEMBERS.items()
        for name in names.split()
    },
}
"""Types of .NET -> what has their members, if that is known."""

SCRIPT_METHODS = (
    "at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach "
    "includes indexOf join keys lastIndexOf map pop push reduce reduceRight reverse shift slice some sort "
    "splice toReversed toSorted toSpliced unshift values with add clear delete get has set size union "
    "intersection charAt charCodeAt codePointAt endsWith localeCompare match matchAll normalize padEnd "
    "padStart repeat replace replaceAll search split startsWith substring toLowerCase toUpperCase trim trimEnd "
    "trimStart then catch finally apply bind call exec test toString toJSON valueOf toFixed toPrecision "
    "getTime toISOString hasOwnProperty log info warn error debug on off once emit append remove write end "
    "pipe next return throw resolve reject all race assign freeze"
)

SCRIPT_GLOBALS = (
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

RUBY_MEMBERS = (
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
