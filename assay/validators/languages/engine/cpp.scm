; What the engine reads of C++ alone.

(function_definition type: (_) @gives declarator: (reference_declarator (function_declarator declarator: (identifier) @define @defined))) @function
(declaration type: (_) @gives declarator: (reference_declarator (function_declarator declarator: (identifier) @define))) @function
(class_specifier name: (type_identifier) @define @defined body: (_)) @type
(class_specifier name: (_) @owner (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base))
(struct_specifier name: (_) @owner (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base))
(alias_declaration name: (type_identifier) @define @defined) @type
(alias_declaration name: (type_identifier) @owner type: (type_descriptor type: (_) @base))
(field_declaration type: (_) @gives declarator: [(function_declarator declarator: (field_identifier) @define)
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @define))
  (reference_declarator (function_declarator declarator: (field_identifier) @define))]) @method
(_ name: (type_identifier) @_of body: (field_declaration_list [(declaration declarator: (function_declarator declarator: (identifier) @define.constructor)) @method
  (function_definition !type declarator: (function_declarator declarator: (identifier) @define.constructor)) @method]) (#eq? @_of @define.constructor))
(function_definition type: (_) @gives declarator: [(function_declarator declarator: (field_identifier) @define @defined)
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @define @defined))
  (reference_declarator (function_declarator declarator: (field_identifier) @define @defined))]) @method
(function_definition type: (_)? @gives declarator: [
  (function_declarator declarator: (qualified_identifier scope: (_) @owner name: [(identifier) (destructor_name) (operator_name)] @define @defined))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: (_) @owner name: (identifier) @define @defined)))
  (reference_declarator (function_declarator declarator: (qualified_identifier scope: (_) @owner name: [(identifier) (operator_name)] @define @defined)))]) @method
(function_definition declarator: [(function_declarator declarator: (qualified_identifier scope: (_) @owner))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: (_) @owner)))
  (reference_declarator (function_declarator declarator: (qualified_identifier scope: (_) @owner)))]) @own
(field_declaration declarator: (function_declarator declarator: (field_identifier) @abstract) default_value: (number_literal))
(namespace_definition !name body: (declaration_list [(function_definition declarator: [(function_declarator declarator: (identifier) @private)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @private))])
  (declaration declarator: [(identifier) @private (init_declarator declarator: (identifier) @private)])
  (class_specifier name: (type_identifier) @private) (struct_specifier name: (type_identifier) @private)]))
((function_definition !type declarator: (function_declarator declarator: (identifier) @_t parameters: (parameter_list
  . (parameter_declaration) . (parameter_declaration type: (type_identifier) @define @test)))) @function
  (#match? @_t "^(TYPED_|BOOST_)?(TEST|TEST_F|TEST_P|AUTO_TEST_CASE)$"))

(qualified_identifier scope: (_) @receiver name: (_) @member) @read
(new_expression type: (_) @created) @new
(compound_literal_expression type: (_) @created) @new
(this) @this
(parameter_declaration type: (_) @bind.type declarator: (reference_declarator (identifier) @bind))
(declaration type: (placeholder_type_specifier) declarator: (init_declarator declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind)
  (reference_declarator (identifier) @bind)] value: (_) @bind.value))
(declaration type: [(qualified_identifier) (template_type)] @bind.type declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind)
  (init_declarator declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind)])])
(declaration type: (_) @bind.type declarator: (init_declarator declarator: (reference_declarator (identifier) @bind)))
(for_range_loop declarator: [(identifier) @bind (reference_declarator (identifier) @bind)] right: (_) @bind.item)

; flat

(qualified_identifier scope: (namespace_identifier) @name)
(qualified_identifier name: (_) @label)
(function_declarator declarator: (qualified_identifier scope: (namespace_identifier) @key))
[(lambda_expression) (for_range_loop) (catch_clause)] @scope
(reference_declarator (identifier) @local)
(structured_binding_declarator (identifier) @local)
(optional_parameter_declaration declarator: [(identifier) @local (pointer_declarator declarator: (identifier) @local)])
(for_range_loop declarator: (identifier) @local)
(type_parameter_declaration (type_identifier) @generic)
(optional_type_parameter_declaration name: (_) @generic)
(function_definition !type declarator: (function_declarator declarator: (identifier) @test.call)
  (#match? @test.call "^(TYPED_|BOOST_)?(TEST|TEST_F|TEST_P|AUTO_TEST_CASE)$"))
((call_expression function: (identifier) @test.call) (#any-of? @test.call "TEST_CASE" "SCENARIO" "DOCTEST_TEST_CASE" "SECTION"))
((field_declaration_list (_ declarator: (function_declarator declarator: (_) @open.type))) (#match? @open.type "^[A-Z][A-Z0-9_]+$"))
((field_declaration type: (type_identifier) @open.type) (#match? @open.type "^[A-Z][A-Z0-9_]+$"))

; measured

(function_definition declarator: [(function_declarator declarator: [(qualified_identifier) (field_identifier) (destructor_name) (operator_name)] @measured.name)
  (pointer_declarator declarator: (function_declarator declarator: [(qualified_identifier) (field_identifier)] @measured.name))
  (reference_declarator (function_declarator declarator: [(identifier) (qualified_identifier) (field_identifier) (operator_name)] @measured.name))]) @measured
(lambda_expression body: (_)) @measured
[(class_specifier name: (type_identifier) @named.name body: (_)) (struct_specifier name: (type_identifier) @named.name body: (_))] @named
(for_range_loop) @path @level @break
(catch_clause) @path @break
(try_statement) @level

; dangers

(raw_string_literal) @text
