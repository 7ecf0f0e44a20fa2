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
