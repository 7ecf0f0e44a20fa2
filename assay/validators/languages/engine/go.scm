; What the engine reads of Go; capture names are explained in captures.py.

(package_clause (package_identifier) @namespace)
(import_spec name: (_)? @import.alias path: (_) @import) @import.whole

(source_file (function_declaration name: (_) @define result: (_)? @gives) @function)
((function_declaration name: (_) @test) (#match? @test "^(Test|Benchmark|Fuzz|Example)"))
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (_) @define
  result: (_)? @gives) @method
(source_file (type_declaration [(type_spec name: (_) @define) (type_alias name: (_) @define)] @type))
(source_file (const_declaration (const_spec (identifier) @define) @constant))
(source_file (var_declaration [(var_spec (identifier) @define) @constant (var_spec_list (var_spec (identifier) @define) @constant)]))
(source_file (var_declaration
  [(var_spec . (identifier) @define type: (_)? @gives value: (expression_list . (_) @gives.value .)?) @constant
    (var_spec_list (var_spec . (identifier) @define type: (_)? @gives value: (expression_list . (_) @gives.value .)?) @constant)]))
(type_spec name: (_) @owner type: (struct_type (field_declaration_list (field_declaration (field_identifier) @define type: (_) @gives) @field)))
(type_spec name: (_) @owner type: (struct_type (field_declaration_list (field_declaration !name type: (_) @base))))
(type_spec name: (_) @owner type: (interface_type (method_elem name: (_) @define result: (_)? @gives) @method))
(type_spec name: (_) @owner type: (interface_type (type_elem (_) @base)))
(type_spec name: (_) @interface type: (interface_type))
(method_elem name: (_) @abstract)
(type_alias name: (_) @owner type: (_) @base)
(type_spec name: (_) @owner type: [(type_identifier) (qualified_type) (generic_type) (pointer_type)] @base)

(selector_expression operand: (_) @receiver field: (_) @member) @read
(qualified_type package: (_) @qualifier name: (_) @member) @read
(composite_literal type: [(type_identifier) (qualified_type)] @receiver
  body: (literal_value (keyed_element . (literal_element (identifier) @member))))
(call_expression function: (_) @called) @call
(composite_literal type: (_) @created) @new
((call_expression function: (identifier) @_f arguments: (argument_list (_) @created)) @new (#eq? @_f "new"))
(type_assertion_expression type: (_) @created) @new
(type_conversion_expression type: (_) @created) @new
[(unary_expression operand: (_) @inner) (parenthesized_expression (_) @inner)] @same

(parameter_declaration (identifier) @bind type: (_) @bind.type)
(var_spec (identifier) @bind type: (_) @bind.type)
(var_spec . (identifier) @bind value: (expression_list . (_) @bind.value .))
(short_var_declaration left: (expression_list . (identifier) @bind) right: (expression_list . (_) @bind.value .))

; flat

[(identifier) (type_identifier)] @name
(qualified_type name: (_) @label)
(keyed_element . (literal_element (identifier) @key))
[(function_declaration) (method_declaration) (func_literal) (block) (for_statement) (if_statement) (expression_case)
  (expression_switch_statement) (type_switch_statement) (type_case) (communication_case) (default_case)] @scope
(parameter_declaration (identifier) @local)
(variadic_parameter_declaration name: (identifier) @local)
(type_parameter_declaration (identifier) @generic)
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))
(receive_statement left: (expression_list (identifier) @local))
(var_spec (identifier) @local)
(const_spec (identifier) @local)
(type_spec name: (_) @local)
(type_alias name: (_) @local)
(type_switch_statement alias: (expression_list (identifier) @local))
(label_name) @label
[(comment) (import_declaration)] @quiet

; measured

(function_declaration name: (_) @measured.name body: (_)) @measured
(method_declaration receiver: (parameter_list (parameter_declaration type: [(type_identifier) @measured.owner
  (pointer_type (type_identifier) @measured.owner) (generic_type type: (_) @measured.owner)
  (pointer_type (generic_type type: (_) @measured.owner))])) name: (_) @measured.name body: (_)) @measured
(func_literal) @measured
(if_statement) @path @level @break
(if_statement alternative: (if_statement) @chain)
(if_statement alternative: (_) @also)
(for_statement) @path @level @break
[(expression_switch_statement) (type_switch_statement) (select_statement)] @level @break
[(expression_case) (type_case) (communication_case)] @path
(binary_expression operator: ["&&" "||"]) @logical

; dangers

((call_expression function: (_) @_f arguments: (argument_list (_) @_s . (_) @_c . (_) @data)) @shell
  (#match? @_f "^exec\\.Command(Context)?$") (#match? @_s "^[\"`](/usr)?(/bin/)?(ba|da|z)?sh[\"`]$") (#match? @_c "^[\"`]-l?c[\"`]$"))
([(keyed_element key: (_) @_k value: (_) @_v) (assignment_statement left: (_) @_k right: (_) @_v)] @unverified
  (#match? @_k "(^|\\.)InsecureSkipVerify$") (#match? @_v "^(true|!\\s*false)$"))
((call_expression function: (_) @_f) @unverified (#match? @_f "(^|\\.)InsecureIgnoreHostKey$"))
((call_expression function: (_) @_f arguments: (argument_list (_) @data)) @markup
  (#any-of? @_f "template.HTML" "template.HTMLAttr" "template.JS" "template.JSStr" "template.URL"))
((call_expression function: (_) @_f) @weak.hash (#any-of? @_f "md5.Sum" "md5.New" "sha1.Sum" "sha1.New"))
((call_expression function: (_) @_f) @weak (#any-of? @_f "des.NewCipher" "des.NewTripleDESCipher" "rc4.NewCipher"))
[(interpreted_string_literal) (raw_string_literal) (binary_expression) (call_expression)] @text
