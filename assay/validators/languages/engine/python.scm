; What the engine reads of Python; capture names are explained in captures.py.

[(import_statement) (import_from_statement) (future_import_statement)] @import.whole

(function_definition name: (_) @define return_type: (_)? @gives) @function
(class_definition name: (_) @define) @type
(decorated_definition definition: (_) @part) @whole
(assignment left: (identifier) @define type: (_)? @gives right: (_)? @gives.value) @constant
(assignment left: [(pattern_list (identifier) @define) (tuple_pattern (identifier) @define)]) @constant
(augmented_assignment left: (identifier) @define) @constant
(for_statement left: [(identifier) @define (pattern_list (identifier) @define) (tuple_pattern (identifier) @define)]) @constant
(import_from_statement name: [(dotted_name (identifier) @define) (aliased_import alias: (_) @define)]) @listed
(import_from_statement (wildcard_import) @define) @listed
(import_statement name: [(dotted_name . (identifier) @define) (aliased_import alias: (_) @define)]) @listed
(class_definition name: (_) @owner superclasses: (argument_list [(identifier) (attribute) (subscript) (call) (list_splat)
  (conditional_expression) (parenthesized_expression) (binary_operator) (boolean_operator)] @base))
(type_alias_statement left: (type (identifier) @define)) @constant

((function_definition name: (_) @test) (#match? @test "^test"))
((decorated_definition (decorator) @_d definition: (function_definition name: (_) @fixture)) (#match? @_d "^@[a-z_.]*fixture\\b"))
((decorated_definition
  (decorator (call arguments: (argument_list (keyword_argument name: (_) @_n value: (string (string_content) @fixture.name)))))
  definition: (function_definition name: (_) @fixture)) (#eq? @_n "name"))
((call function: (_) @_f arguments: (argument_list (string (string_content) @fixture.used))) (#match? @_f "usefixtures$"))
((decorated_definition
  (decorator (call function: (attribute attribute: (_) @entry.verb) arguments: (argument_list . (string (string_content) @entry.path))))
  definition: (function_definition name: (_) @entry))
  (#any-of? @entry.verb "route" "get" "post" "put" "delete" "patch" "head" "options" "websocket" "api_route")
  (#match? @entry.path "^/"))
((decorated_definition
  (decorator [(attribute attribute: (_) @_c)
    (call function: (attribute attribute: (_) @_c) arguments: (argument_list . (string (string_content) @command.name)?))])
  definition: (function_definition name: (_) @command)) (#any-of? @_c "command" "group"))

(attribute object: (_) @receiver attribute: (_) @member) @read
((call function: (identifier) @_f arguments: (argument_list . (_) @receiver . (string (string_content) @member))) @read
  (#any-of? @_f "getattr" "hasattr" "setattr"))
(assignment left: (attribute object: (_) @receiver attribute: (_) @store) type: (_)? @gives right: (_)? @gives.value)
[(pattern_list (attribute object: (_) @receiver attribute: (_) @store))
  (tuple_pattern (attribute object: (_) @receiver attribute: (_) @store))
  (list_pattern (attribute object: (_) @receiver attribute: (_) @store))
  (list_splat_pattern (attribute object: (_) @receiver attribute: (_) @store))
  (for_statement left: (attribute object: (_) @receiver attribute: (_) @store))
  (for_in_clause left: (attribute object: (_) @receiver attribute: (_) @store))
  (as_pattern_target (attribute object: (_) @receiver attribute: (_) @store))
  (as_pattern_target (tuple (attribute object: (_) @receiver attribute: (_) @store)))]
(call function: (_) @called) @call
((call function: (identifier) @_f) @super (#eq? @_f "super"))
(subscript value: (_) @of) @item
((call function: (identifier) @_f arguments: (argument_list . (_) @of)) @item (#any-of? @_f "next" "min" "max"))
[(await (_) @inner) (parenthesized_expression (_) @inner) (list_splat (_) @inner) (named_expression value: (_) @inner)
  (assignment right: (_) @inner) (boolean_operator left: (_) @inner right: (_) @inner)
  (conditional_expression . (_) @inner (_) (_) @inner .)] @same
((call function: (identifier) @_f arguments: (argument_list . (_) @inner)) @same
  (#any-of? @_f "copy" "deepcopy" "sorted" "reversed" "list" "tuple" "set" "iter"))
((call function: (_) @_f arguments: (argument_list . (_) @created . (_) .)) @new (#match? @_f "^([a-z_]+\\.)?cast$"))

(try_statement body: (_) @guarded (except_clause value: (_) @guard))
(try_statement body: (_) @guarded (except_clause !value))
((with_statement (with_clause (with_item value: (call function: (_) @_f arguments: (argument_list (_) @guard)))) body: (_) @guarded)
  (#match? @_f "(suppress|raises|assertRaises(Regex)?)$"))
((if_statement condition: (_) @guard consequence: (_) @guarded) (#match? @guard "TYPE_CHECKING$"))

(typed_parameter . (identifier) @bind type: (_) @bind.type)
(typed_default_parameter name: (_) @bind type: (_) @bind.type)
(assignment left: (identifier) @bind type: (_) @bind.type)
(assignment left: (identifier) @bind !type right: (_) @bind.value)
(named_expression name: (_) @bind value: (_) @bind.value)
(for_statement left: (identifier) @bind right: (_) @bind.item)
(for_in_clause left: (identifier) @bind right: (_) @bind.item)
(for_statement left: (_ (identifier) @bind) right: (_) @bind.part)
(for_in_clause left: (_ (identifier) @bind) right: (_) @bind.part)
(assignment left: (pattern_list (identifier) @bind) right: (_) @bind.item)
(as_pattern . (_) @bind.entered alias: (as_pattern_target (identifier) @bind))
(class_definition body: (block (function_definition parameters: [(parameters . (identifier) @bind.this) (parameters . (comment) . (identifier) @bind.this)])))
((class_definition body: (block (decorated_definition (decorator) @_d
  definition: (function_definition parameters: [(parameters . (identifier) @bind.this) (parameters . (comment) . (identifier) @bind.this)])))) (#not-match? @_d "staticmethod"))

; flat

(identifier) @name
(attribute attribute: (_) @label)
(keyword_argument name: (_) @label)
[(function_definition type_parameters: (type_parameter (type (identifier) @generic)))
  (class_definition type_parameters: (type_parameter (type (identifier) @generic)))
  (type_alias_statement left: (type (generic_type (type_parameter (type (identifier) @generic)))))]
((call function: (identifier) @_f arguments: (argument_list . (identifier) @rebound)) (#any-of? @_f "isinstance" "issubclass" "hasattr" "callable"))
(keyword_pattern . (identifier) @label)
(global_statement (identifier) @global)
(global_statement (identifier) @label)
(nonlocal_statement (identifier) @label)
[(function_definition) (lambda) (list_comprehension) (set_comprehension) (dictionary_comprehension)
  (generator_expression)] @scope
[(parameters (identifier) @local) (lambda_parameters (identifier) @local) (typed_parameter . (identifier) @local)
  (default_parameter name: (identifier) @local) (typed_default_parameter name: (_) @local)
  (list_splat_pattern (identifier) @local) (dictionary_splat_pattern (identifier) @local)]
[(assignment left: (identifier) @local) (augmented_assignment left: (identifier) @local)
  (pattern_list (identifier) @local) (tuple_pattern (identifier) @local) (list_pattern (identifier) @local)
  (for_statement left: (identifier) @local) (for_in_clause left: (identifier) @local)
  (named_expression name: (_) @local) (as_pattern_target (identifier) @local)
  (as_pattern_target (tuple [(identifier) @local (list_splat (identifier) @local)]))
  (keyword_pattern (identifier) (dotted_name . (identifier) @local .)) (case_pattern (dotted_name . (identifier) @local .))
  (case_pattern (splat_pattern (identifier) @local)) (splat_pattern (identifier) @local)
  (case_pattern (as_pattern (identifier) @local)) (class_definition name: (_) @local)]
(function_definition name: (_) @outer)
[(string) (concatenated_string) (integer) (float) (true) (false) (none) (list) (tuple) (set) (dictionary)
  (comparison_operator) (unary_operator) (not_operator) (list_comprehension) (set_comprehension)
  (dictionary_comprehension) (generator_expression)] @literal
(function_definition body: (_) @late)
(type) @late
[(return_statement (_) @returned) (yield (_) @returned)]
((if_statement condition: (comparison_operator . (identifier) @_n) !alternative) @skipped (#eq? @_n "__name__"))
((if_statement condition: (boolean_operator left: (comparison_operator . (identifier) @_n)) !alternative) @skipped
  (#eq? @_n "__name__"))
((if_statement condition: (comparison_operator . (identifier) @_n) !alternative) @quiet (#eq? @_n "__name__"))
(comment) @quiet
(module [(import_statement) (import_from_statement) (future_import_statement)] @quiet)
(if_statement (block [(import_statement) (import_from_statement)] @quiet))
; An alternation between two anchors of a nested node is ignored: each has its own pattern.
[(try_statement body: (block . [(import_statement) (import_from_statement)] .) (except_clause (block . (pass_statement) .)))
  (try_statement body: (block . [(import_statement) (import_from_statement)] .) (except_clause (block . (import_statement) .)))
  (try_statement body: (block . [(import_statement) (import_from_statement)] .) (except_clause (block . (import_from_statement) .)))] @quiet
[(module . (comment)* . (expression_statement (string)) @quiet)
  (function_definition body: (block . (expression_statement (string)) @quiet))
  (class_definition body: (block . (expression_statement (string)) @quiet))]
((call function: (identifier) @_f) @open (#eq? @_f "globals"))
((call function: (identifier) @_f arguments: (argument_list . (_) .)) @open (#eq? @_f "exec"))
((subscript) @open (#match? @open "^([a-z]+\\.)?modules\\[__name__\\]"))
((module (function_definition name: (_) @_n) @open.some) (#eq? @_n "__getattr__"))
(module (expression_statement (call function: (identifier) @open (#any-of? @open "locals" "vars"))))
(module (expression_statement (call function: (attribute object: (call function: (identifier) @open (#any-of? @open "locals" "vars"))))))
(module (expression_statement (assignment left: (subscript value: (call function: (identifier) @open (#any-of? @open "locals" "vars"))))))
((module (expression_statement (assignment left: [(pattern_list) (tuple_pattern) (identifier)] @open))) (#match? @open "\\b__getattr__\\b"))
((function_definition name: (_) @open.type) (#match? @open.type "^__(getattr|getattribute|new)__$"))
((call function: (attribute attribute: (_) @open.type)) (#eq? @open.type "__setattr__"))
((assignment left: (attribute attribute: (_) @open.type)) (#eq? @open.type "__dict__"))
((assignment left: (identifier) @rebound type: (_) right: (_) @_v) (#match? @_v "[mM]ock|create_autospec"))
(global_statement (identifier) @rebound)
(class_definition body: (block (expression_statement (assignment left: (identifier) @rebound))))
(module (with_statement (with_clause (with_item value: (as_pattern alias: (as_pattern_target (identifier) @rebound))))))
((call function: (identifier) @open.type) (#any-of? @open.type "setattr" "locals"))
((call function: (identifier) @_f arguments: (argument_list . (identifier) @open.owner)) (#eq? @_f "setattr"))
(class_definition body: (block [(import_statement) (import_from_statement) (with_statement)] @open.type))
((call function: (attribute object: (_) @_d attribute: (_) @open.type)) (#match? @_d "(__dict__|^vars\\(.*\\))$") (#eq? @open.type "update"))
((assignment left: (subscript value: (_) @open.type)) (#match? @open.type "(__dict__|^vars\\(.*\\))$"))
((class_definition superclasses: (argument_list (keyword_argument name: (_) @_n value: (_) @_v))) @open.type
  (#eq? @_n "metaclass") (#not-match? @_v "(ABC|Enum)(Meta|Type)$"))

; measured

(function_definition name: (_) @measured.name body: (_)) @measured
(class_definition name: (_) @named.name) @named
(if_statement) @path @level @break
(elif_clause) @path @also
(if_statement alternative: (else_clause) @also)
(for_in_clause) @break
(if_clause) @also
[(for_statement) (while_statement)] @path @level @break
(try_statement) @level
(except_clause) @path @break
(match_statement) @level @break
(case_clause) @path
(conditional_expression) @path @break
(boolean_operator) @logical

; dangers

([(identifier) (attribute) (subscript) (call) (dotted_name) (aliased_import)] @code.named (#means? @code.named "builtins.eval" "builtins.exec"))
([(identifier) (attribute) (subscript) (call) (dotted_name) (aliased_import)] @shell.named (#means? @shell.named
  "os.system" "os.popen" "posix.system" "subprocess.getoutput" "subprocess.getstatusoutput" "asyncio.create_subprocess_shell"))
([(identifier) (attribute) (subscript) (call) (dotted_name) (aliased_import)] @load.named (#means? @load.named "yaml.unsafe_load" "yaml.unsafe_load_all" "yaml.full_load" "yaml.full_load_all" "pandas.read_pickle"
  "pickle.load" "pickle.loads" "pickle.Unpickler" "cPickle.load" "cPickle.loads" "_pickle.load" "_pickle.loads"
  "dill.load" "dill.loads" "cloudpickle.load" "cloudpickle.loads" "marshal.load" "marshal.loads" "shelve.open" "jsonpickle.decode"))
([(identifier) (attribute) (subscript) (call) (dotted_name) (aliased_import)] @unverified.named
  (#means? @unverified.named "ssl._create_unverified_context" "ssl.CERT_NONE"))
((call function: (_) @_f arguments: (_) @_a) @load (#means? @_f "yaml.load" "yaml.load_all") (#not-match? @_a "(Safe|Base)Loader\\b"))
((call arguments: (argument_list . (_) @data (keyword_argument name: (_) @_n value: (_) @_v))) @shell
  (#eq? @_n "shell") (#match? @_v "^(True|1|['\"].*)$"))
((call function: (_) @_f arguments: (argument_list . [(list . (_) @_s . (_) @_c (_) @data) (tuple . (_) @_s . (_) @_c (_) @data)])) @shell
  (#match? @_f "^subprocess\\.|^(run|call|Popen|check_\\w+)$") (#match? @_s "^['\"](/usr)?(/bin/)?(ba|z|da)?sh['\"]$") (#match? @_c "^['\"]-c['\"]$"))
((call function: (_) @_f arguments: (argument_list (keyword_argument name: (_) @_n value: (_) @_v) @unverified))
  (#match? @_f "(?i)(^|\\.)(get|post|put|patch|delete|head|options|stream|send|partial|\\w*(request|session|client|http|connect|context|open|fetch|url)\\w*)$")
  (#any-of? @_n "verify" "check_hostname") (#match? @_v "^(False|0)$"))
([(assignment left: (_) @_n right: (_) @_v)
  (default_parameter name: (_) @_n value: (_) @_v) (typed_default_parameter name: (_) @_n value: (_) @_v)] @unverified
  (#match? @_n "(^|\\.|\\[['\"])(verify|check_hostname)(['\"]\\])?$") (#match? @_v "^(False|0)$"))
([(keyword_argument name: (_) @_n value: (_) @_v) (assignment left: (_) @_n right: (_) @_v)] @unverified
  (#match? @_n "(^|\\.)cert_reqs$") (#match? @_v "^['\"]CERT_NONE['\"]$"))
[(string) (concatenated_string) (binary_operator) (call)] @text
(return_statement (_) @answer)
((call function: [(identifier) @_f (attribute attribute: (_) @_f)] arguments: (argument_list . (_) @answer)) (#any-of? @_f
  "make_response" "Response" "HttpResponse" "HTMLResponse" "Markup" "mark_safe" "render_template_string"))
