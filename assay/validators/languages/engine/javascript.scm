; What the engine reads of JavaScript only: TypeScript's grammar has other nodes for it.

(class_declaration name: (_) @owner (class_heritage [(identifier) (member_expression)] @base))
(class_body (field_definition property: (_) @define value: (_)? @gives.value) @field)
(class_body (field_definition property: (_) @define value: [(arrow_function) (function_expression)]) @method)
(export_statement !source (export_clause (export_specifier name: (_) @export alias: "default"))) @export.default

; flat

(formal_parameters (identifier) @local)

; measured

(field_definition property: (_) @measured.name value: [(function_expression !name) (generator_function !name) (arrow_function)] @measured)
