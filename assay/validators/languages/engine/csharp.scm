; What the engine reads of C#; capture names are explained in captures.py.

[(namespace_declaration name: (_) @namespace) (file_scoped_namespace_declaration name: (_) @namespace)]
(using_directive "global"? @import.global "static"? !name [(identifier) (qualified_name) (alias_qualified_name)] @import) @import.star @import.whole
(using_directive "global"? @import.global name: (_) @import.alias "=" (_) @import) @import.whole

[(class_declaration name: (_) @define) (interface_declaration name: (_) @define) (struct_declaration name: (_) @define)
  (record_declaration name: (_) @define) (enum_declaration name: (_) @define) (delegate_declaration name: (_) @define)] @type
[(class_declaration name: (_) @owner (base_list [(identifier) (qualified_name) (generic_name)] @base))
  (interface_declaration name: (_) @owner (base_list [(identifier) (qualified_name) (generic_name)] @base))
  (struct_declaration name: (_) @owner (base_list [(identifier) (qualified_name) (generic_name)] @base))
  (record_declaration name: (_) @owner (base_list [(identifier) (qualified_name) (generic_name)] @base))]
(method_declaration returns: (_) @gives name: (_) @define) @method
((method_declaration name: (_) @extension parameters: (parameter_list . (parameter (modifier) @_this))) (#eq? @_this "this"))
((method_declaration (attribute_list (attribute name: [(identifier) @_note (qualified_name name: (_) @_note)])) name: (_) @test)
  (#match? @_note "(Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|Property)(Attribute)?$"))
((method_declaration (attribute_list (attribute name: (identifier) @entry.verb
  (attribute_argument_list . (attribute_argument . (string_literal) @entry.path)))) name: (_) @entry)
  (#match? @entry.verb "^Http(Get|Post|Put|Patch|Delete|Head|Options)$"))
(constructor_declaration name: (_) @define.constructor) @method
[(class_declaration (parameter_list) @define.constructor @method) (record_declaration (parameter_list) @define.constructor @method)
  (struct_declaration (parameter_list) @define.constructor @method)]
[(class_declaration (parameter_list (parameter type: (_) @gives name: (_) @define) @field))
  (record_declaration (parameter_list (parameter type: (_) @gives name: (_) @define @public) @field))
  (struct_declaration (parameter_list (parameter type: (_) @gives name: (_) @define) @field))]
(property_declaration type: (_) @gives name: (_) @define) @field
(event_declaration type: (_) @gives name: (_) @define) @field
(field_declaration (variable_declaration type: (_) @gives (variable_declarator name: (_) @define))) @field
(event_field_declaration (variable_declaration type: (_) @gives (variable_declarator name: (_) @define))) @field
(enum_member_declaration name: (_) @define @public) @field

((_ (modifier) @_seen name: (identifier) @public) (#any-of? @_seen "public" "protected"))
((_ (modifier) @_seen (variable_declaration (variable_declarator name: (identifier) @public))) (#any-of? @_seen "public" "protected"))
((_ (modifier) @_seen name: (identifier) @private) (#eq? @_seen "private"))
((_ (modifier) @_seen (variable_declaration (variable_declarator name: (identifier) @private))) (#eq? @_seen "private"))
[(class_declaration (parameter_list) @public) (record_declaration (parameter_list) @public) (struct_declaration (parameter_list) @public)]
(interface_declaration body: (declaration_list [(method_declaration name: (_) @public) (property_declaration name: (_) @public)
  (event_field_declaration (variable_declaration (variable_declarator name: (_) @public)))]))
(interface_declaration body: (declaration_list [(method_declaration name: (_) @abstract !body)
  (property_declaration name: (_) @abstract !value)]))
((method_declaration (modifier) @_is name: (_) @abstract) (#eq? @_is "abstract"))
((property_declaration (modifier) @_is name: (_) @abstract) (#eq? @_is "abstract"))

(member_access_expression expression: _ @receiver name: [(identifier) @member (generic_name . (identifier) @member)]) @read
(conditional_access_expression condition: (_) @receiver
  (member_binding_expression name: [(identifier) @member (generic_name . (identifier) @member)])) @read
(object_creation_expression type: (identifier) @receiver
  initializer: (initializer_expression (assignment_expression left: (identifier) @member)))
(invocation_expression function: [(member_access_expression) (conditional_access_expression)] @called) @call
(invocation_expression function: [(identifier) @own.called (generic_name . (identifier) @own.called)]) @call
(object_creation_expression type: (_) @created) @new
(cast_expression type: (_) @created) @new
(as_expression right: (_) @created) @new
(element_access_expression expression: (_) @of) @item
"this" @this
"base" @super
[(parenthesized_expression (_) @inner) (postfix_unary_expression (_) @inner "!") (await_expression (_) @inner)] @same

(parameter type: (_) @bind.type name: (_) @bind)
((variable_declaration type: (_) @bind.type (variable_declarator name: (_) @bind)) (#not-eq? @bind.type "var"))
(variable_declaration type: (implicit_type) (variable_declarator name: (_) @bind "=" . (_) @bind.value))
(foreach_statement type: (implicit_type) left: (identifier) @bind right: (_) @bind.item)
((foreach_statement type: (_) @bind.type left: (identifier) @bind) (#not-eq? @bind.type "var"))
(declaration_pattern type: (_) @bind.type name: (_) @bind)
((declaration_expression type: (_) @bind.type name: (_) @bind) (#not-eq? @bind.type "var"))

; flat

(identifier) @name
(qualified_name) @path
[(method_declaration) (constructor_declaration) (destructor_declaration) (operator_declaration) (conversion_operator_declaration)
  (indexer_declaration) (accessor_declaration) (local_function_statement) (lambda_expression) (anonymous_method_expression) (block)
  (for_statement) (foreach_statement) (using_statement) (catch_clause) (switch_section) (switch_expression_arm) (query_expression)
  (arrow_expression_clause)] @scope
(parameter name: (_) @local)
(parameter_list name: (identifier) @local)
(lambda_expression parameters: (implicit_parameter) @local)
(variable_declarator name: (identifier) @local)
(tuple_pattern name: (identifier) @local)
(parenthesized_variable_designation (identifier) @local)
(foreach_statement left: (identifier) @local)
(declaration_pattern name: (identifier) @local)
(recursive_pattern name: (identifier) @local)
(var_pattern name: (identifier) @local)
(declaration_expression name: (identifier) @local)
(catch_declaration name: (_) @local)
[(from_clause name: (_) @local) (let_clause . (identifier) @local) (join_clause . (identifier) @local)]
(local_function_statement name: (_) @outer)
(type_parameter name: (_) @generic)
[(class_declaration (parameter_list (parameter name: (_) @key))) (record_declaration (parameter_list (parameter name: (_) @key)))]
(member_access_expression name: [(identifier) @label (generic_name . (identifier) @label)])
(member_binding_expression name: [(identifier) @label (generic_name . (identifier) @label)])
(qualified_name name: [(identifier) @label (generic_name . (identifier) @label)])
(alias_qualified_name alias: (_) @label)
(invocation_expression function: [(identifier) @label (generic_name . (identifier) @label)])
(destructor_declaration name: (_) @label)
(argument name: (_) @label)
(anonymous_object_creation_expression (identifier) @label . "=")
(attribute_argument name: (_) @label)
(subpattern . (identifier) @label)
(with_initializer . (identifier) @label)
(initializer_expression (assignment_expression left: (identifier) @label))
[(labeled_statement . (identifier) @label) (goto_statement (identifier) @label)]
[(comment) (using_directive) (preproc_region) (preproc_endregion)] @quiet

; measured

[(method_declaration name: (_) @measured.name body: (_)) (constructor_declaration name: (_) @measured.name body: (_))
  (local_function_statement name: (_) @measured.name body: (_)) (operator_declaration operator: _ @measured.name body: (_))] @measured
(property_declaration name: (_) @measured.name value: (arrow_expression_clause) @measured)
(property_declaration name: (_) @measured.name accessors: (accessor_list (accessor_declaration body: (_)) @measured))
(lambda_expression body: (block)) @measured
(anonymous_method_expression) @measured
[(class_declaration name: (_) @named.name) (interface_declaration name: (_) @named.name) (struct_declaration name: (_) @named.name)
  (record_declaration name: (_) @named.name)] @named
(if_statement) @path @level @break
(if_statement alternative: (if_statement) @chain)
(if_statement alternative: (_) @also)
[(for_statement) (foreach_statement) (while_statement) (do_statement)] @path @level @break
(conditional_expression) @path @break
[(switch_statement) (switch_expression)] @level @break
(switch_section "case") @path
(switch_expression_arm . [(constant_pattern) (declaration_pattern) (relational_pattern) (recursive_pattern) (type_pattern)
  (and_pattern) (or_pattern) (negated_pattern) (list_pattern) (tuple_pattern) (parenthesized_pattern)]) @path
(try_statement) @level
(catch_clause) @path @break
(binary_expression operator: ["&&" "||"]) @logical

; dangers

([(invocation_expression function: (_) @_f arguments: (argument_list (argument (_) @data)))
  (object_creation_expression type: (_) @_f arguments: (argument_list (argument (_) @data)))] @shell
  (#match? @_f "(^|\\.)(Process\\.Start|ProcessStartInfo)$") (#match? @data "^[$@]*\"\\s*(/[cCkK]|-l?c)\\s"))
((assignment_expression left: (_) @_l right: (_) @data) @shell (#match? @_l "(^|\\.)Arguments$") (#match? @data "^[$@]*\"\\s*(/[cCkK]|-l?c)\\s"))
((invocation_expression function: (_) @_f arguments: (argument_list . (argument (_) @data))) @code
  (#match? @_f "(^|\\.)CSharpScript\\.(EvaluateAsync|RunAsync|Create)"))
((object_creation_expression type: (_) @_t) @load (#match? @_t
  "(^|\\.)(BinaryFormatter|SoapFormatter|NetDataContractSerializer|LosFormatter|ObjectStateFormatter|SimpleTypeResolver)$"))
((assignment_expression left: (_) @_l right: (_) @_r) @load (#match? @_l "(^|\\.)TypeNameHandling$") (#match? @_r "TypeNameHandling\\.(All|Auto|Objects|Arrays)$"))
((assignment_expression left: (_) @_l right: (_) @_r) @unverified (#match? @_l "(^|\\.)Server(Certificate|CertificateCustom)ValidationCallback$")
  (#match? @_r "DangerousAcceptAny|(=>|\\breturn)\\s*true\\b"))
((invocation_expression function: (_) @_f arguments: (argument_list . (argument (_) @data))) @markup (#match? @_f "(^|\\.)Html\\.Raw$"))
((object_creation_expression type: (_) @_t arguments: (argument_list . (argument (_) @data))) @markup (#any-of? @_t "HtmlString" "MarkupString"))
((cast_expression type: (_) @_t value: (_) @data) @markup (#eq? @_t "MarkupString"))
((invocation_expression function: (_) @_f arguments: (argument_list . (argument (_) @clause)))
  (#match? @_f "(^|\\.)(FromSqlRaw|SqlQueryRaw|ExecuteSqlRaw(Async)?|ExecuteSqlCommand(Async)?)(<[^<>]*>)?$"))
((invocation_expression function: (_) @_f) @weak.hash (#match? @_f "(^|\\.)(MD5|SHA1)\\.(Create|HashData)$"))
((invocation_expression function: (_) @_f) @weak (#match? @_f "(^|\\.)(DES|RC2|TripleDES)\\.Create$"))
((member_access_expression) @weak (#match? @weak "^(\\w+\\.)*CipherMode\\.ECB$"))
[(string_literal) (verbatim_string_literal) (raw_string_literal) (interpolated_string_expression) (binary_expression) (invocation_expression)] @text
