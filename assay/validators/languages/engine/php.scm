; What the engine reads of PHP; capture names are explained in captures.py.

(namespace_definition name: (_) @namespace)
(namespace_use_declaration (namespace_use_clause . [(qualified_name) (name)] @import alias: (_)? @import.as)) @import.whole
(namespace_use_declaration (namespace_name) @import.prefix body: (namespace_use_group
  (namespace_use_clause . [(qualified_name) (name)] @import alias: (_)? @import.as))) @import.whole
[(require_expression [(binary_expression) (string) (parenthesized_expression)] @import.path)
  (require_once_expression [(binary_expression) (string) (parenthesized_expression)] @import.path)
  (include_expression [(binary_expression) (string) (parenthesized_expression)] @import.path)
  (include_once_expression [(binary_expression) (string) (parenthesized_expression)] @import.path)]

[(class_declaration name: (_) @define) (interface_declaration name: (_) @define) (trait_declaration name: (_) @define)
  (enum_declaration name: (_) @define)] @type
(_ name: (_) @owner (base_clause [(name) (qualified_name) (relative_name)] @base))
(_ name: (_) @owner (class_interface_clause [(name) (qualified_name) (relative_name)] @base))
(_ name: (_) @owner body: (declaration_list (use_declaration [(name) (qualified_name) (relative_name)] @base)))
(_ name: (_) @owner body: (enum_declaration_list (use_declaration [(name) (qualified_name) (relative_name)] @base)))
(function_definition name: (_) @define return_type: (_)? @gives) @function
((_ name: (_) body: (_ (method_declaration name: (_) @define return_type: (_)? @gives) @method)) (#not-eq? @define "__construct"))
((_ name: (_) body: (_ (method_declaration name: (_) @define.constructor) @method)) (#eq? @define.constructor "__construct"))
(_ name: (_) body: (_ (property_declaration type: (_)? @gives (property_element name: (variable_name (name) @define)
  default_value: (_)? @gives.value)) @field))
(_ name: (_) @owner body: (_ (method_declaration parameters: (formal_parameters
  (property_promotion_parameter type: (_)? @gives name: (variable_name (name) @define)) @field))))
(_ name: (_) body: (enum_declaration_list (enum_case name: (_) @define) @field))
(const_declaration (const_element . (name) @define . (_) @gives.value)) @constant
((function_call_expression function: (name) @_f arguments: (arguments . (argument (string (string_content) @define)))) @constant
  (#eq? @_f "define"))
((function_call_expression function: [(name) (qualified_name)] @_f
  arguments: (arguments (argument) . (argument (string (string_content) @define)))) @constant (#match? @_f "^\\\\?class_alias$"))
[(method_declaration (visibility_modifier) @_v name: (_) @private)
  (property_declaration (visibility_modifier) @_v (property_element name: (variable_name (name) @private)))
  (property_promotion_parameter visibility: (visibility_modifier) @_v name: (variable_name (name) @private))
  (const_declaration (visibility_modifier) @_v (const_element . (name) @private)) (#eq? @_v "private")]
((comment) @_c . [(class_declaration name: (_) @private) (interface_declaration name: (_) @private) (trait_declaration name: (_) @private)
  (enum_declaration name: (_) @private) (function_definition name: (_) @private) (method_declaration name: (_) @private)]
  (#match? @_c "^/\\*\\*[^/]*@internal\\b"))
(interface_declaration body: (_ (method_declaration name: (_) @abstract)))
(method_declaration (abstract_modifier) name: (_) @abstract)

((class_declaration name: (_) @_c body: (_ (method_declaration name: (_) @test))) (#match? @_c "Test(s|Case)?$") (#match? @test "^test"))
((class_declaration body: (_ (comment) @_t . (method_declaration name: (_) @test))) (#match? @_t "@test\\b"))
((method_declaration attributes: (attribute_list (attribute_group (attribute . (_) @_t))) name: (_) @test) (#match? @_t "(^|\\\\)Test$"))
((method_declaration attributes: (attribute_list (attribute_group
  (attribute . (_) @entry.verb parameters: (arguments . (argument (string (string_content) @entry.path)))))) name: (_) @entry)
  (#eq? @entry.verb "Route"))

[(member_access_expression object: (_) @receiver name: (name) @member)
  (nullsafe_member_access_expression object: (_) @receiver name: (name) @member)
  (class_constant_access_expression . (_) @receiver (name) @member .)
  (scoped_property_access_expression scope: (_) @receiver name: (variable_name (name) @member))] @read
((array_creation_expression . (array_element_initializer . [(class_constant_access_expression . (_) @receiver (name))
  (variable_name) @receiver (member_access_expression) @receiver] .) . (array_element_initializer . (string (string_content) @member) .) .) @read (#match? @member "^[a-z]\\w*$"))
[(member_call_expression object: (_) @receiver name: (name) @member.called)
  (nullsafe_member_call_expression object: (_) @receiver name: (name) @member.called)
  (scoped_call_expression scope: (_) @receiver name: (name) @member.called)] @call
((scoped_call_expression scope: (relative_scope) @called name: (_) @_n) @call (#eq? @called "parent") (#eq? @_n "__construct"))
(function_call_expression function: [(name) (qualified_name) (relative_name)] @called) @call
[(assignment_expression left: (member_access_expression object: (_) @receiver name: (name) @store) right: (_) @gives.value)
  (assignment_expression left: (scoped_property_access_expression scope: (_) @receiver name: (variable_name (name) @store)) right: (_) @gives.value)
  (augmented_assignment_expression left: (member_access_expression object: (_) @receiver name: (name) @store))]
(object_creation_expression . [(name) (qualified_name) (relative_name)] @created) @new
((variable_name) @this (#eq? @this "$this"))
((relative_scope) @this (#not-eq? @this "parent"))
((relative_scope) @super (#eq? @super "parent"))
[(parenthesized_expression (_) @inner) (clone_expression (_) @inner) (assignment_expression right: (_) @inner)
  (conditional_expression body: (_) @inner alternative: (_) @inner)
  (binary_expression left: (_) @inner operator: "??" right: (_) @inner)] @same
(subscript_expression . (_) @of) @item

(try_statement body: (_) @guarded (catch_clause type: (_) @guard))
([(if_statement condition: (_) @guard @guarded body: (_) @guarded) (conditional_expression condition: (_) @guard @guarded body: (_)? @guarded)
  (binary_expression left: (_) @guard operator: ["&&" "and"] right: (_) @guarded) (function_call_expression function: (_) @guard arguments: (_) @guarded)]
  (#match? @guard "_exists|defined|is_callable"))

(simple_parameter type: (_) @bind.type name: (_) @bind)
(property_promotion_parameter type: (_) @bind.type name: (_) @bind)
(catch_clause type: (_) @bind.type name: (_) @bind)
(assignment_expression left: (variable_name) @bind right: (_) @bind.value)
(foreach_statement . (_) @bind.item . (variable_name) @bind)
(foreach_statement . (_) @bind.item . (pair (_) (variable_name) @bind))

; flat

[(name) (qualified_name) (relative_name) (variable_name)] @name
(qualified_name (name) @label)
(qualified_name prefix: (namespace_name (name) @label))
(relative_name (name) @label)
(namespace_name (name) @label)
(namespace_use_clause (name) @label)
(variable_name (name) @label)
[(member_access_expression name: (name) @label) (nullsafe_member_access_expression name: (name) @label)
  (member_call_expression name: (name) @label) (nullsafe_member_call_expression name: (name) @label)
  (scoped_call_expression name: (name) @label) (class_constant_access_expression (_) (name) @label .)
  (argument name: (_) @label) (goto_statement (name) @label) (named_label_statement (name) @label)
  (method_declaration name: (_) @label) (property_hook (name) @label) (use_as_clause (name) @label)]
[(function_definition) (method_declaration) (anonymous_function) (arrow_function)] @scope
[(simple_parameter name: (_) @local) (property_promotion_parameter name: (_) @local) (variadic_parameter name: (_) @local)
  (assignment_expression left: (variable_name) @local) (reference_assignment_expression left: (variable_name) @local)
  (list_literal (variable_name) @local) (list_literal (pair (_) (variable_name) @local))
  (foreach_statement . (_) (variable_name) @local) (foreach_statement (pair (variable_name) @local))
  (foreach_statement (by_ref (variable_name) @local)) (catch_clause name: (_) @local)
  (static_variable_declaration name: (_) @local) (global_declaration (variable_name) @local)
  (anonymous_function_use_clause (variable_name) @local) (anonymous_function_use_clause (by_ref (variable_name) @local))]
(binary_expression left: (variable_name) @rebound operator: "instanceof")
[(string) (encapsed_string) (heredoc) (nowdoc) (integer) (float) (boolean) (null) (array_creation_expression) (unary_op_expression)] @literal
[(function_definition body: (_) @late) (method_declaration body: (_) @late) (anonymous_function body: (_) @late)
  (arrow_function body: (_) @late)]
(return_statement (_) @returned)
(anonymous_class) @unbound
((function_call_expression function: (name) @test.call) (#any-of? @test.call "it" "test" "describe"))
[(comment) (namespace_use_declaration) (php_tag)] @quiet
((method_declaration name: (_) @open.type) (#match? @open.type "^__(call|callStatic|get|set)$"))

; measured

(function_definition name: (_) @measured.name body: (_)) @measured
(method_declaration name: (_) @measured.name body: (_)) @measured
[(anonymous_function body: (_)) (arrow_function body: (_))] @measured
(assignment_expression left: (variable_name) @measured.name right: [(anonymous_function) (arrow_function)] @measured)
[(class_declaration name: (_) @named.name) (interface_declaration name: (_) @named.name) (trait_declaration name: (_) @named.name)
  (enum_declaration name: (_) @named.name)] @named
(if_statement) @path @level @break
(else_clause (if_statement) @chain)
[(else_clause) (else_if_clause)] @also
(else_if_clause) @path
[(for_statement) (foreach_statement) (while_statement) (do_statement)] @path @level @break
(conditional_expression) @path @break
[(switch_statement) (match_expression)] @level @break
[(case_statement) (match_conditional_expression)] @path
(try_statement) @level
(catch_clause) @path @break
(binary_expression operator: ["&&" "||" "and" "or"]) @logical

; dangers

((function_call_expression function: (_) @_f arguments: (arguments . (argument (_) @data))) @code (#match? @_f "(?i)^\\\\?(eval|create_function)$"))
((function_call_expression function: (_) @_f arguments: (arguments . (argument (_) @data)) @_a) @load
  (#match? @_f "(?i)^\\\\?unserialize$") (#not-match? @_a "allowed_classes"))
((function_call_expression function: (_) @_f arguments: (arguments . (argument (_) @data))) @shell
  (#match? @_f "(?i)^\\\\?(shell_exec|system|passthru|exec|popen|proc_open)$") (#not-match? @data "^\\["))
(shell_command_expression [(variable_name) (member_access_expression) (subscript_expression)] @data) @shell
((_ [(include_expression (_) @data) (include_once_expression (_) @data) (require_expression (_) @data) (require_once_expression (_) @data)] @code)
  (#match? @data "\\$_(GET|POST|REQUEST|COOKIE)\\b"))
((echo_statement [(subscript_expression) (binary_expression) (sequence_expression) (encapsed_string)] @data) @markup (#match? @data "\\$_(GET|POST|REQUEST|COOKIE)\\b"))
(((text_interpolation (php_tag) @_p) . (expression_statement [(subscript_expression) (binary_expression) (encapsed_string)] @data) @markup) (#match? @_p "=$") (#match? @data "\\$_(GET|POST|REQUEST|COOKIE)\\b"))
((object_creation_expression (name) @_t (arguments . (argument (_) @data))) @markup (#any-of? @_t "HtmlString" "Markup"))
((function_call_expression function: (_) @_f arguments: (arguments (_) . (argument (_) @_o) . (argument (_) @_v))) @unverified
  (#match? @_f "(?i)^\\\\?curl_setopt$") (#match? @_o "CURLOPT_(SSL_VERIFYPEER|SSL_VERIFYHOST)$") (#match? @_v "(?i)^(false|0)$"))
((array_element_initializer . (_) @_o . (_) @_v) @unverified
  (#match? @_o "^['\"](verify|verify_peer|verify_peer_name|verify_host)['\"]$|CURLOPT_SSL_VERIFY(PEER|HOST)$") (#match? @_v "(?i)^(false|0)$"))
((member_call_expression name: (_) @_m) @unverified (#eq? @_m "withoutVerifying"))
((function_call_expression function: (_) @_f arguments: (arguments . (argument (_) @_a))) @weak.hash (#match? @_f "(?i)^\\\\?(md5|sha1)$"))
((function_call_expression function: (_) @_f arguments: (arguments (_) . (argument (_) @_c))) @weak
  (#match? @_f "(?i)^\\\\?openssl_(en|de)crypt$") (#match? @_c "(?i)^['\"](des|rc[24]|bf|.*-ecb)"))
([(member_call_expression name: (_) @_m arguments: (arguments . (argument (_) @clause)))
  (scoped_call_expression name: (_) @_m arguments: (arguments . (argument (_) @clause)))]
  (#match? @_m "^((where|orWhere|select|having|orderBy|groupBy|from)Raw|raw|statement|unprepared|query|exec|prepare)$"))
[(string) (encapsed_string) (heredoc) (binary_expression) (function_call_expression)] @text
