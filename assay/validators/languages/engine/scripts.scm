; What the engine reads of JavaScript and TypeScript alike; capture names are explained in captures.py.

(import_statement) @import.whole
(export_statement source: (_)) @import.whole

(function_declaration name: (_) @define) @function
(generator_function_declaration name: (_) @define) @function
(class_declaration name: (_) @define) @type
(variable_declarator name: (_) @define value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (_) @define value: (class)) @type
(variable_declarator name: (identifier) @define value: (_)? @gives.value) @constant
[(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @define))
  (variable_declarator name: (object_pattern (pair_pattern value: (identifier) @define)))
  (variable_declarator name: (object_pattern (object_assignment_pattern left: (_) @define)))
  (variable_declarator name: (object_pattern (pair_pattern value: (array_pattern (identifier) @define))))
  (variable_declarator name: (array_pattern (identifier) @define))] @constant
(class_body (method_definition name: (_) @define) @method)
(export_statement "default" value: [(function_expression) (arrow_function)] @define.default) @function
(export_statement "default" value: (class) @define.default @type)
(export_statement "default" value: [(object) (array) (call_expression) (new_expression) (string) (number) (template_string)] @define.default) @constant
((expression_statement (assignment_expression left: (member_expression object: (_) @_e property: (_) @define)
  right: [(arrow_function) (function_expression)])) @function (#match? @_e "^(module\\.)?exports$"))
((expression_statement (assignment_expression left: (member_expression object: (_) @_e property: (_) @define @export)
  right: (_) @gives.value)) @constant (#match? @_e "^(module\\.)?exports$") (#not-eq? @define "exports"))
((expression_statement (assignment_expression left: (_) @_e right: [(function_expression) (arrow_function)] @define.default)) @function
  (#eq? @_e "module.exports"))
((expression_statement (assignment_expression left: (_) @_e right: (class) @define.default @type)) (#eq? @_e "module.exports"))
(export_statement "default" value: (identifier) @define.default) @listed
(export_specifier name: (_) @define !alias) @listed
(export_specifier alias: (_) @define) @listed
(namespace_export (_) @define) @listed

[(export_statement declaration: (_) @part) (export_statement value: (_) @part) (lexical_declaration . (variable_declarator) @part .)
  (variable_declaration . (variable_declarator) @part .)] @whole

(export_statement !source declaration: (_ name: (_) @export))
(export_statement !source declaration: (_ (variable_declarator name: (identifier) @export)))
[(export_statement declaration: (_ (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @export))))
  (export_statement declaration: (_ (variable_declarator name: (object_pattern (pair_pattern value: (identifier) @export)))))
  (export_statement declaration: (_ (variable_declarator name: (object_pattern (object_assignment_pattern left: (_) @export)))))
  (export_statement declaration: (_ (variable_declarator name: (array_pattern (identifier) @export))))]
(export_statement !source (export_clause (export_specifier name: (_) @export alias: (_)? @export.as)))
(export_statement "default" declaration: (_ name: (_) @export)) @export.default
(export_statement "default" value: (identifier) @export) @export.default
(export_statement "default" value: (_ name: (_) @export)) @export.default
((assignment_expression left: (_) @_e right: (identifier) @export) @export.default (#eq? @_e "module.exports"))
((assignment_expression left: (_) @_e right: (object (shorthand_property_identifier) @export)) (#eq? @_e "module.exports"))
((assignment_expression left: (_) @_e right: (object (pair key: (property_identifier) @export.as value: (_) @export)))
  (#eq? @_e "module.exports"))
((assignment_expression left: (_) @_e right: (object (method_definition name: (_) @export))) (#eq? @_e "module.exports"))
((assignment_expression left: (member_expression object: (_) @_e property: (_) @export.as) right: (identifier) @export)
  (#match? @_e "^(module\\.)?exports$"))

((call_expression function: (member_expression property: (_) @entry.verb)
  arguments: (arguments . (string (string_fragment) @entry.path) (identifier) @entry))
  (#any-of? @entry.verb "get" "post" "put" "delete" "patch" "all" "options" "head") (#match? @entry.path "^/"))

(member_expression object: (_) @receiver property: (_) @member) @read
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @member
  (pair_pattern key: (property_identifier) @member)]) value: (_) @receiver)
(assignment_expression left: (member_expression object: (_) @receiver property: (_) @store) right: (_) @gives.value)
[(augmented_assignment_expression left: (member_expression object: (_) @receiver property: (_) @store))
  (pair_pattern value: (member_expression object: (_) @receiver property: (_) @store))
  (array_pattern (member_expression object: (_) @receiver property: (_) @store))
  (assignment_pattern left: (member_expression object: (_) @receiver property: (_) @store))
  (rest_pattern (member_expression object: (_) @receiver property: (_) @store))]
(call_expression function: (_) @called) @call
(new_expression constructor: (_) @created) @new
(this) @this
(super) @super
(subscript_expression object: (_) @of) @item
[(parenthesized_expression (_) @inner) (await_expression (_) @inner)
  (binary_expression left: (_) @inner operator: ["||" "??"] right: (_) @inner)
  (ternary_expression consequence: (_) @inner alternative: (_) @inner)] @same

(try_statement body: (_) @guarded)

(variable_declarator name: (identifier) @bind value: (_) @bind.value)
(for_in_statement left: (identifier) @bind operator: "of" right: (_) @bind.item)

; flat

[(identifier) (shorthand_property_identifier)] @name
(export_specifier alias: (_) @label)
(assignment_expression left: (identifier) @assigned)
(binary_expression left: (identifier) @rebound operator: "instanceof")
(binary_expression operator: "in" right: (identifier) @rebound)
(export_statement !source) @exported
(export_statement "default") @exported.default
[(function_declaration) (generator_function_declaration) (function_expression) (generator_function) (arrow_function)
  (method_definition) (statement_block) (for_statement) (for_in_statement) (catch_clause) (switch_body)] @scope
[(variable_declarator name: (identifier) @local) (shorthand_property_identifier_pattern) @local
  (pair_pattern value: (identifier) @local) (array_pattern (identifier) @local) (rest_pattern (identifier) @local)
  (assignment_pattern left: (identifier) @local) (arrow_function parameter: (identifier) @local)
  (catch_clause parameter: (identifier) @local) (for_in_statement left: (identifier) @local)
  (function_expression name: (_) @local) (class_declaration name: (_) @local)]
[(function_declaration name: (_) @outer) (generator_function_declaration name: (_) @outer)]
[(string) (number) (regex) (template_string) (array) (object) (true) (false) (null) (undefined) (unary_expression)] @literal
[(function_declaration body: (_) @late) (function_expression body: (_) @late) (arrow_function body: (_) @late)
  (method_definition body: (_) @late) (generator_function_declaration body: (_) @late)]
[(return_statement (_) @returned) (arrow_function body: (call_expression) @returned)
  (arrow_function body: (new_expression) @returned) (arrow_function body: (member_expression) @returned)]
[(function_expression) (function_declaration) (generator_function_declaration) (generator_function)] @unbound
(object (method_definition) @unbound)
((call_expression function: (_) @_t arguments: [(arguments . [(string) (template_string) (identifier) (binary_expression)
  (member_expression) (call_expression) (arrow_function) (function_expression)]) (template_string)]) @test.call
  (#match? @_t "^(it|test|describe|suite)\\b"))
((call_expression function: (member_expression property: (_) @_t) arguments: (arguments (_) [(arrow_function) (function_expression)] .))
  @test.member (#match? @_t "^(it|test|describe|suite)$"))
(comment) @quiet
(program (import_statement) @quiet)
((arguments [(identifier) (member_expression)] @open) (#match? @open "^(module\\.)?exports$"))
((variable_declarator value: (_) @open) (#match? @open "^(module\\.)?exports$"))
((assignment_expression left: (subscript_expression object: (_) @open)) (#match? @open "^(module\\.)?exports$"))
((assignment_expression left: (_) @open right: [(identifier) (call_expression) (new_expression) (class) (member_expression)
  (function_expression) (arrow_function) (object (spread_element))]) (#eq? @open "module.exports"))
(class_body (_ name: (computed_property_name) @open.type))
((method_definition name: (_) @_n body: (statement_block (return_statement (_)))) @open.type (#eq? @_n "constructor"))
((call_expression function: (_) @open.type arguments: (arguments . (this))) (#match? @open.type "^Object\\.(assign|define)"))
(assignment_expression left: (subscript_expression object: (this) @open.type))
((member_expression object: (identifier) @open.owner property: (_) @_p) (#eq? @_p "prototype"))
((variable_declarator value: (assignment_expression left: (_) @open)) (#match? @open "^(module\\.)?exports"))

; measured

(function_declaration name: (_) @measured.name body: (_)) @measured
(generator_function_declaration name: (_) @measured.name body: (_)) @measured
(method_definition name: (_) @measured.name body: (_)) @measured
[(function_expression name: (_)? @measured.name body: (_)) (generator_function name: (_)? @measured.name body: (_)) (arrow_function body: (_))] @measured
(variable_declarator name: (_) @measured.name value: [(function_expression !name) (generator_function !name) (arrow_function)] @measured)
(pair key: (_) @measured.name value: [(function_expression !name) (generator_function !name) (arrow_function)] @measured)
(assignment_expression left: (_) @measured.name right: [(function_expression !name) (generator_function !name) (arrow_function)] @measured)
(call_expression function: (_) @measured.callback
  arguments: (arguments [(function_expression !name) (generator_function !name) (arrow_function)] @measured))
(new_expression constructor: (_) @measured.callback
  arguments: (arguments [(function_expression !name) (generator_function !name) (arrow_function)] @measured))
(return_statement [(function_expression !name) (generator_function !name) (arrow_function)] @measured @measured.returned)
[(class_declaration name: (_) @named.name) (class name: (_)? @named.name)] @named
(if_statement) @path @level @break
(else_clause (if_statement) @chain)
(else_clause) @also
[(for_statement) (for_in_statement) (while_statement) (do_statement)] @path @level @break
(ternary_expression) @path @break
(switch_case) @path
(switch_statement) @level @break
(try_statement) @level
(catch_clause) @break
(binary_expression operator: ["&&" "||"]) @logical

; dangers

([(identifier) (shorthand_property_identifier) (member_expression) (subscript_expression)] @code.named (#means? @code.named
  "builtins.eval" "vm.compileFunction" "vm.Script" "vm.runInNewContext" "vm.runInThisContext" "vm.runInContext"))
([(identifier) (shorthand_property_identifier) (member_expression) (subscript_expression)] @shell.named
  (#means? @shell.named "child_process.exec" "child_process.execSync"))
([(call_expression function: (_) @_f arguments: (arguments (_) @data)) (new_expression constructor: (_) @_f arguments: (arguments (_) @data))] @code
  (#means? @_f "builtins.Function"))
((variable_declarator value: (_) @code.named) (#means? @code.named "builtins.Function"))
((call_expression function: (member_expression object: (member_expression property: (_) @_a) property: (_) @_b)) @code
  (#eq? @_a "constructor") (#eq? @_b "constructor"))
((call_expression arguments: (arguments . (_) @data (object (pair key: (_) @_k value: (_) @_v)))) @shell
  (#match? @_k "^['\"]?shell['\"]?$") (#match? @_v "^(true|1|['\"].*)$") (#imports? "child_process"))
([(pair key: (_) @_k value: (_) @_v) (assignment_expression left: (_) @_k right: (_) @_v)] @unverified
  (#match? @_k "(^|\\.|['\"])rejectUnauthorized(['\"]\\]?)?$") (#match? @_v "^(false|0|!\\s*1|!\\s*true)$"))
([(property_identifier) (identifier) (string_fragment)] @unverified (#eq? @unverified "NODE_TLS_REJECT_UNAUTHORIZED"))
([(assignment_expression left: (_) @_k right: (_) @data) (augmented_assignment_expression left: (_) @_k right: (_) @data)
  (pair key: (_) @_k value: (_) @data)] @markup (#match? @_k "(^|\\.|['\"])(inner|outer)HTML(['\"]\\]?)?$"))
((call_expression function: (member_expression object: (_) @_o property: (_) @_m) arguments: (arguments (_) @data)) @markup
  (#match? @_o "(^|\\.)document$") (#any-of? @_m "write" "writeln"))
((call_expression function: (member_expression property: (_) @_m) arguments: (arguments (_) @data)) @markup (#eq? @_m "insertAdjacentHTML"))
([(identifier) @markup (string_fragment) @markup (pair key: (property_identifier) @markup)
  (member_expression property: (property_identifier) @markup)] (#eq? @markup "dangerouslySetInnerHTML"))
((call_expression function: (identifier) @_f arguments: (arguments . [(template_string) (binary_expression)] @data)) @code
  (#any-of? @_f "setTimeout" "setInterval"))
[(template_string) (string) (binary_expression)] @text
