; What the engine reads of Ruby; capture names are explained in captures.py.

((call !receiver method: (identifier) @_r arguments: (argument_list)) @import.path
  (#any-of? @_r "require" "require_relative" "require_dependency" "load" "autoload"))

(module name: (_) @define) @type
(class name: (_) @define) @type
((assignment left: (constant) @define right: (call receiver: (constant) @_c method: (identifier) @_n)) @type
  (#any-of? @_c "Struct" "Class" "Module" "Data") (#any-of? @_n "new" "define"))
(class name: (_) @owner superclass: (superclass [(constant) (scope_resolution) (call)] @base))
((assignment left: (constant) @owner right: (call receiver: (constant) @_c method: (identifier) @_n arguments: (argument_list . (_) @base)))
  (#eq? @_c "Class") (#eq? @_n "new"))
((_ name: (_) @owner body: (body_statement (call !receiver method: (identifier) @_i arguments: (argument_list [(constant) (scope_resolution)] @base))))
  (#any-of? @_i "include" "extend" "prepend"))
[(class name: (_) @filled superclass: (_)) (class !body name: (_) @filled) (module !body name: (_) @filled)
  (class name: (_) @filled body: (body_statement [(method) (singleton_method) (singleton_class) (alias) (identifier) (if) (unless) (begin)]))
  (module name: (_) @filled body: (body_statement [(method) (singleton_method) (singleton_class) (alias) (identifier) (if) (unless) (begin)]))]
(assignment left: (constant) @filled right: (call))
((_ name: (_) @filled body: (body_statement (call method: (_) @_m)))
  (#not-match? @_m "^(autoload|private_constant|require|require_relative|require_dependency)$"))

((method name: (_) @define) @function (#not-eq? @define "initialize"))
((method name: (_) @define.constructor) @function (#eq? @define.constructor "initialize"))
(singleton_method object: (self) name: (_) @define) @function
(singleton_method object: (constant) @owner name: (_) @define) @method
(assignment left: (constant) @define right: (_) @gives.value) @constant
((_ name: (_) body: (body_statement (call !receiver method: (identifier) @_a arguments: (argument_list [(simple_symbol) (string)] @define)) @method))
  (#any-of? @_a "attr_reader" "attr_writer" "attr_accessor" "attr" "delegate" "cattr_accessor" "mattr_accessor" "class_attribute"))
((_ name: (_) body: (body_statement (call !receiver method: (identifier) @_a arguments: (argument_list . (simple_symbol) @define)) @method))
  (#any-of? @_a "alias_method" "define_method" "scope" "def_delegator" "belongs_to" "has_many" "has_one" "enum" "attribute"))
(alias . (identifier) @define) @method
((call !receiver method: (identifier) @_p arguments: (argument_list [(method name: (_) @private) (singleton_method name: (_) @private)]))
  (#any-of? @_p "private" "private_class_method"))

((call !receiver method: (identifier) @_p arguments: (argument_list (simple_symbol) @private.name))
  (#any-of? @_p "private" "private_class_method" "private_constant"))
((comment) @_c . [(class name: (_) @private) (module name: (_) @private) (method name: (_) @private) (singleton_method name: (_) @private)]
  (#match? @_c "@api private|:nodoc:"))
([(class name: (_) @private . (comment) @_c) (module name: (_) @private . (comment) @_c)]
  (#match? @_c ":nodoc:"))
((class name: (_) @private superclass: (_) . (comment) @_c) (#match? @_c ":nodoc:"))

((class name: (_) @_c body: (body_statement (method name: (_) @test))) (#match? @_c "Test|Spec") (#match? @test "^test_"))

(scope_resolution scope: (_) @receiver name: (constant) @member) @read
(call receiver: (_) @receiver method: (identifier) @member.called) @call
(call !receiver method: (identifier) @own.called) @call
(instance_variable) @member @read
(assignment left: (call receiver: (_) @receiver method: (identifier) @store) right: (_) @gives.value)
[(assignment left: (instance_variable) @store right: (_) @gives.value) (operator_assignment left: (instance_variable) @store right: (_) @gives.value)]
((call receiver: [(constant) (scope_resolution)] @created method: (identifier) @_n) @new (#eq? @_n "new"))
(self) @this
(super) @super
((method name: (_) @_n body: (body_statement [(super) @called @call (call method: (super) @called) @call])) (#eq? @_n "initialize"))
[(parenthesized_statements . (_) @inner .) (conditional consequence: (_) @inner alternative: (_) @inner) (assignment right: (_) @inner)
  (binary left: (_) @inner operator: ["||" "or"] right: (_) @inner)] @same
(element_reference object: (_) @of) @item

[(begin (rescue (exceptions)? @guard)) (body_statement (rescue (exceptions)? @guard)) (rescue_modifier)] @guarded
([(if condition: (_) @guard consequence: (_) @guarded) (if_modifier body: (_) @guarded condition: (_) @guard)
  (conditional condition: (_) @guard consequence: (_) @guarded) (binary left: (_) @guard operator: ["&&" "and"] right: (_) @guarded)
  (unary operator: "defined?") @guard @guarded]
  (#match? @guard "defined\\?|respond_to\\?"))

(assignment left: (identifier) @bind right: (_) @bind.value)

; flat

[(identifier) (constant)] @name
((scope_resolution) @name (#match? @name "^(::)?[A-Z]"))
(scope_resolution name: (constant) @label)
(scope_resolution scope: (constant) @label)
(scope_resolution scope: (scope_resolution) @label)
[(class name: (scope_resolution scope: (_) @path)) (module name: (scope_resolution scope: (_) @path))]
[(call method: (identifier) @label) (call method: (constant) @label) (alias (identifier) @label) (method name: (_) @label) (singleton_method name: (_) @label)]
[(method) (singleton_method) (do_block) (block) (lambda)] @scope
[(method_parameters (identifier) @local) (block_parameters (identifier) @local) (lambda_parameters (identifier) @local)
  (destructured_parameter (identifier) @local) (optional_parameter name: (_) @local) (keyword_parameter name: (_) @local)
  (splat_parameter name: (_) @local) (hash_splat_parameter name: (_) @local) (block_parameter name: (_) @local)
  (assignment left: (identifier) @local) (operator_assignment left: (identifier) @local) (left_assignment_list (identifier) @local)
  (destructured_left_assignment (identifier) @local) (rest_assignment (identifier) @local) (exception_variable (identifier) @local)
  (for pattern: (identifier) @local) (as_pattern name: (identifier) @local)]
(operator_assignment left: (identifier) @rebound)
((body_statement (identifier) @private.below) (#any-of? @private.below "private" "public" "protected"))
[(string) (heredoc_beginning) (integer) (float) (true) (false) (nil) (array) (hash) (simple_symbol) (string_array) (symbol_array)
  (regex) (range) (unary)] @literal
[(method body: (_) @late) (singleton_method body: (_) @late) (do_block) @late (block) @late (lambda) @late]
(return (argument_list . (_) @returned .))
(method body: (body_statement (_) @returned .))
(singleton_method body: (body_statement (_) @returned .))
((call method: (identifier) @_t block: (_)) @test.call (#any-of? @_t "describe" "context" "it" "specify" "feature" "scenario" "test" "should"))
(comment) @quiet
((program (call !receiver method: (identifier) @_r) @quiet) (#any-of? @_r "require" "require_relative"))
((if condition: (_) @_c) @skipped (#match? @_c "__FILE__"))
((if condition: (_) @_c) @quiet (#match? @_c "__FILE__"))
((method name: (_) @open.type) (#any-of? @open.type "method_missing" "respond_to_missing?" "const_missing"))
((singleton_method name: (_) @open.type) (#any-of? @open.type "method_missing" "respond_to_missing?" "const_missing" "new" "inherited"))
([(class body: (body_statement (call !receiver method: (identifier) @open.type)))
  (module body: (body_statement (call !receiver method: (identifier) @open.type)))
  (singleton_class body: (body_statement (call !receiver method: (identifier) @open.type)))]
  (#not-match? @open.type "^(attr_reader|attr_writer|attr_accessor|attr|include|extend|prepend|private|public|protected|private_constant|private_class_method|module_function|require|require_relative|autoload|alias_method|raise|puts|freeze|attribute|public_class_method)$"))
((call method: (identifier) @open.type) (#any-of? @open.type "define_method" "define_singleton_method" "class_eval" "class_exec"
  "module_eval" "instance_eval" "const_set" "singleton_class" "remove_method" "undef_method" "const_missing"))
(assignment left: (constant) @open.owner right: (call))
((call receiver: [(constant) (scope_resolution)] @open.owner method: (identifier) @_m) (#any-of? @_m "include" "extend" "prepend"
  "class_eval" "class_exec" "module_eval" "instance_eval" "define_method" "define_singleton_method" "const_set" "send" "instance_exec"))

; measured

[(method name: (_) @measured.name) (singleton_method name: (_) @measured.name)] @measured
(lambda) @measured
((call method: (identifier) @_d arguments: (argument_list . (simple_symbol) @measured.name) block: (_) @measured) (#eq? @_d "define_method"))
[(class name: (_) @named.name) (module name: (_) @named.name)] @named
[(if) (unless) (while) (until) (for) (if_modifier) (unless_modifier) (while_modifier) (until_modifier) (conditional) (rescue_modifier)] @path @break
[(if) (unless) (while) (until) (for) (case) (case_match)] @level
[(case) (case_match)] @break
(elsif) @path @also
[(if alternative: (else) @also) (unless alternative: (else) @also) (elsif alternative: (else) @also)]
[(when) (in_clause)] @path
(begin (rescue)) @level
(rescue) @path @break
(binary operator: ["&&" "||" "and" "or"]) @logical

; dangers

((call !receiver method: (_) @_m arguments: (argument_list . (_) @data)) @code (#eq? @_m "eval"))
((call receiver: (_) @_r method: (_) @_m arguments: (argument_list . (_) @data)) @code (#any-of? @_r "Kernel" "binding" "TOPLEVEL_BINDING") (#eq? @_m "eval"))
((call receiver: (_) @_r method: (_) @_m arguments: (argument_list . (_) @data)) @load (#match? @_r "^(::)?Marshal$") (#any-of? @_m "load" "restore"))
((call receiver: (_) @_r method: (_) @_m) @load (#any-of? @_r "YAML" "Psych") (#any-of? @_m "unsafe_load" "unsafe_load_file"))
((call !receiver method: (_) @_m arguments: (argument_list . [(string) (binary) (identifier) (call)] @data .)) @shell (#any-of? @_m "system" "exec" "spawn"))
((call receiver: (_) @_r method: (_) @_m arguments: (argument_list . [(string) (binary) (identifier)] @data .)) @shell
  (#any-of? @_r "Kernel" "Process") (#any-of? @_m "system" "exec" "spawn"))
((call receiver: (_) @_r method: (_) @_m arguments: (argument_list . [(string) (binary)] @data)) @shell
  (#any-of? @_r "Open3" "IO") (#any-of? @_m "popen" "popen2" "popen2e" "popen3" "capture2" "capture2e" "capture3"))
(subshell (interpolation (_) @data)) @shell
((call receiver: (_) @data method: (_) @_m) @markup (#eq? @_m "html_safe"))
((call !receiver method: (_) @_m arguments: (argument_list . (_) @data .)) @markup (#eq? @_m "raw"))
([(assignment right: (_) @_v) (pair value: (_) @_v)] @unverified (#match? @_v "\\bVERIFY_NONE$"))
((pair key: (_) @_k value: (false)) @unverified (#any-of? @_k "verify_ssl" "ssl_verify" "verify_peer" "verify_certificate" "verify_hostname"))
((call receiver: (_) @_r method: (_) @_m) @weak.hash (#match? @_r "(^|::)Digest::(MD5|SHA1)$") (#any-of? @_m "hexdigest" "digest" "base64digest" "new"))
((call receiver: (_) @_r method: (_) @_m arguments: (argument_list . (_) @_a)) @weak
  (#match? @_r "Cipher(::Cipher)?$") (#eq? @_m "new") (#match? @_a "(?i)^['\"](des|rc[24]|bf|.*-ecb)"))
((call method: (_) @_m arguments: (argument_list . (_) @clause)) (#any-of? @_m
  "where" "having" "find_by_sql" "count_by_sql" "execute" "exec_query" "select_all" "select_value" "select_values" "select_rows" "update_all" "joins"))
[(string) (heredoc_body) (binary) (call)] @text
