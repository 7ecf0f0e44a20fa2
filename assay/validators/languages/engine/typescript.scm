; What the engine reads of TypeScript beyond JavaScript.

(abstract_class_declaration name: (_) @define) @type
[(interface_declaration name: (_) @define) (enum_declaration name: (_) @define)] @type
[(type_alias_declaration name: (_) @define) (internal_module name: (identifier) @define) (import_alias . (identifier) @define)] @constant
(function_signature name: (_) @define) @function
[(ambient_declaration (_) @part) (expression_statement (internal_module) @part)] @whole
(function_declaration name: (_) @define return_type: (type_annotation (_) @gives)) @function
(variable_declarator name: (_) @define value: (arrow_function return_type: (type_annotation (_) @gives))) @function
(variable_declarator name: (identifier) @define type: (type_annotation (_) @gives)) @constant
(class_body (method_definition name: (_) @define return_type: (type_annotation (_) @gives)) @method)
(class_body [(abstract_method_signature name: (_) @define) (method_signature name: (_) @define)] @method)
(class_body (public_field_definition name: (_) @define type: (type_annotation (_) @gives)? value: (_)? @gives.value) @field)
(class_body (public_field_definition name: (_) @define value: [(arrow_function) (function_expression)]) @method)
(interface_body (property_signature name: (_) @define type: (type_annotation (_) @gives)) @field)
(interface_body (method_signature name: (_) @define return_type: (type_annotation (_) @gives)?) @method)
(enum_body [(property_identifier) @define (enum_assignment name: (_) @define)] @field)
(class_declaration name: (_) @owner body: (class_body (method_definition parameters: (formal_parameters
  [(required_parameter (accessibility_modifier) pattern: (identifier) @define) (required_parameter "readonly" pattern: (identifier) @define)
    (optional_parameter (accessibility_modifier) pattern: (identifier) @define) (optional_parameter "readonly" pattern: (identifier) @define)
    (required_parameter (accessibility_modifier) pattern: (identifier) @define type: (type_annotation (_) @gives))] @field))))
(_ name: (_) @owner (class_heritage (extends_clause value: (_) @base)))
(_ name: (_) @owner (class_heritage (implements_clause (_) @base)))
(interface_declaration name: (_) @owner (extends_type_clause type: (_) @base))
(export_statement "=" (identifier) @export) @export.default

[(nested_type_identifier module: (_) @receiver name: (_) @member) (nested_identifier object: (_) @receiver property: (_) @member)] @read
[(satisfies_expression . (_) @inner) (non_null_expression (_) @inner)] @same
(as_expression (_) (_) @created) @new

(required_parameter pattern: (identifier) @bind type: (type_annotation (_) @bind.type))
(optional_parameter pattern: (identifier) @bind type: (type_annotation (_) @bind.type))
(variable_declarator name: (identifier) @bind type: (type_annotation (_) @bind.type))

; flat

(type_identifier) @name
(nested_type_identifier name: (_) @label)
[(enum_declaration name: (_) @local) (interface_declaration name: (_) @local) (type_alias_declaration name: (_) @local)
  (abstract_class_declaration name: (_) @local) (internal_module name: (identifier) @local)]
[(function_type) (function_signature) (method_signature) (call_signature) (construct_signature) (abstract_method_signature)] @scope
(tuple_type (required_parameter name: (identifier) @generic))
(tuple_type (optional_parameter name: (identifier) @generic))
[(required_parameter pattern: (identifier) @local) (optional_parameter pattern: (identifier) @local)
  (type_parameter name: (_) @generic)
  (mapped_type_clause name: (_) @generic) (infer_type . (_) @generic) (index_signature name: (_) @local)]
(export_statement "=" (_) @open)
(export_statement (import_alias) @open)
(index_signature) @open.type
(interface_body (_ name: (computed_property_name) @open.type))
(enum_body [(string) (computed_property_name) (enum_assignment name: [(string) (computed_property_name)])] @open.type)
(assignment_expression left: (subscript_expression object: (parenthesized_expression (as_expression (this) @open.type))))

; measured

(abstract_class_declaration name: (_) @named.name) @named
(public_field_definition name: (_) @measured.name value: [(function_expression !name) (generator_function !name) (arrow_function)] @measured)
