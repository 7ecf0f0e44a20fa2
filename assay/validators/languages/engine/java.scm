; What the engine reads of Java; capture names are explained in captures.py.

(package_declaration [(scoped_identifier) (identifier)] @namespace)
(import_declaration "static"? @import.static [(scoped_identifier) (identifier)] @import (asterisk)? @import.star) @import.whole

[(class_declaration name: (_) @define) (interface_declaration name: (_) @define) (enum_declaration name: (_) @define)
  (record_declaration name: (_) @define) (annotation_type_declaration name: (_) @define)] @type
(class_declaration name: (_) @owner (superclass (_) @base))
(class_declaration name: (_) @owner (super_interfaces (type_list (_) @base)))
(record_declaration name: (_) @owner (super_interfaces (type_list (_) @base)))
(enum_declaration name: (_) @owner (super_interfaces (type_list (_) @base)))
(interface_declaration name: (_) @owner (extends_interfaces (type_list (_) @base)))
(method_declaration type: (_) @gives name: (_) @define) @method
((method_declaration (modifiers [(marker_annotation name: (_) @note) (annotation name: (_) @note)]) name: (_) @test)
  (#match? @note "(Test|Property|Example)$"))
(constructor_declaration name: (_) @define.constructor) @method
(field_declaration type: (_) @gives declarator: (variable_declarator name: (_) @define)) @field
(enum_constant name: (_) @define) @field
(constant_declaration type: (_) @gives declarator: (variable_declarator name: (_) @define)) @field
(annotation_type_element_declaration type: (_) @gives name: (_) @define) @method
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @gives name: (_) @define) @field))

[(class_declaration (modifiers "private") name: (_) @private) (method_declaration (modifiers "private") name: (_) @private)
  (field_declaration (modifiers "private") declarator: (variable_declarator name: (_) @private))
  (constructor_declaration (modifiers "private") name: (_) @private)]

[(class_declaration (modifiers ["public" "protected"]) name: (_) @public) (interface_declaration (modifiers ["public" "protected"]) name: (_) @public)
  (enum_declaration (modifiers ["public" "protected"]) name: (_) @public) (record_declaration (modifiers ["public" "protected"]) name: (_) @public)
  (annotation_type_declaration (modifiers ["public" "protected"]) name: (_) @public)
  (method_declaration (modifiers ["public" "protected"]) name: (_) @public)
  (constructor_declaration (modifiers ["public" "protected"]) name: (_) @public)
  (field_declaration (modifiers ["public" "protected"]) declarator: (variable_declarator name: (_) @public))]
(interface_body [(method_declaration name: (_) @public) (constant_declaration declarator: (variable_declarator name: (_) @public))
  (class_declaration name: (_) @public) (interface_declaration name: (_) @public) (enum_declaration name: (_) @public)
  (record_declaration name: (_) @public)])
(enum_constant name: (_) @public)
(annotation_type_element_declaration name: (_) @public)
(record_declaration parameters: (formal_parameters (formal_parameter name: (_) @public)))
(interface_body (method_declaration !body name: (_) @abstract))
(method_declaration (modifiers "abstract") name: (_) @abstract)

(method_invocation object: (_) @receiver name: (_) @member.called) @call
(method_invocation !object name: (_) @own.called) @call
(field_access object: (_) @receiver field: (_) @member) @read
(method_reference . (_) @receiver (identifier) @member .) @read
(object_creation_expression type: (_) @created) @new
(cast_expression type: (_) @created) @new
(this) @this
(super) @super
(parenthesized_expression (_) @inner) @same

(formal_parameter type: (_) @bind.type name: (_) @bind)
((local_variable_declaration type: (_) @bind.type declarator: (variable_declarator name: (_) @bind)) (#not-eq? @bind.type "var"))
((local_variable_declaration type: (_) @_v declarator: (variable_declarator name: (_) @bind value: (_) @bind.value)) (#eq? @_v "var"))
(enhanced_for_statement type: (_) @bind.type name: (_) @bind)
(resource type: (_) @bind.type name: (_) @bind)
(instanceof_expression right: (_) @bind.type name: (identifier) @bind)

; flat

[(type_identifier) (identifier)] @name
[(scoped_identifier) (scoped_type_identifier)] @path
[(method_declaration) (constructor_declaration) (lambda_expression) (block) (for_statement) (enhanced_for_statement)
  (catch_clause) (try_with_resources_statement) (switch_block_statement_group)] @scope
(formal_parameter name: (_) @local)
(spread_parameter (variable_declarator name: (_) @local))
(catch_formal_parameter name: (_) @local)
(local_variable_declaration declarator: (variable_declarator name: (_) @local))
(enhanced_for_statement name: (_) @local)
(resource name: (_) @local)
(lambda_expression parameters: (identifier) @local)
(inferred_parameters (identifier) @local)
(instanceof_expression name: (identifier) @local)
(type_pattern (identifier) @local)
(type_parameter . (_) @generic)
(field_access field: (_) @label)
(scoped_type_identifier (_) (type_identifier) @label .)
(block [(class_declaration name: (_) @local) (record_declaration name: (_) @local) (interface_declaration name: (_) @local)
  (enum_declaration name: (_) @local)])
(constructor_body [(class_declaration name: (_) @local) (record_declaration name: (_) @local) (interface_declaration name: (_) @local)
  (enum_declaration name: (_) @local)])
(method_invocation name: (_) @label)
(method_reference . (_) (identifier) @label .)
(element_value_pair key: (_) @label)
(labeled_statement . (identifier) @label)
(break_statement (identifier) @label)
(continue_statement (identifier) @label)
[(line_comment) (block_comment) (import_declaration)] @quiet
(object_creation_expression (class_body) @unbound)
(block [(class_declaration) (record_declaration) (interface_declaration) (enum_declaration)] @unbound)
(enum_constant body: (class_body) @unbound)
([(marker_annotation name: (_) @_a) (annotation name: (_) @_a)] @open.type (#match? @_a
  "(^|\\.)(Getter|Setter|Data|Value|Builder|SuperBuilder|With|Accessors|Slf4j|Log|Log4j2?|CommonsLog|Delegate|FieldNameConstants|UtilityClass|(All|No|Required)ArgsConstructor)$"))

; measured

(method_declaration name: (_) @measured.name body: (_)) @measured
(constructor_declaration name: (_) @measured.name body: (_)) @measured
(lambda_expression body: (block)) @measured
[(class_declaration name: (_) @named.name) (interface_declaration name: (_) @named.name) (enum_declaration name: (_) @named.name)
  (record_declaration name: (_) @named.name)] @named
(if_statement) @path @level @break
(if_statement alternative: (if_statement) @chain)
(if_statement alternative: (_) @also)
[(for_statement) (enhanced_for_statement) (while_statement) (do_statement)] @path @level @break
(ternary_expression) @path @break
(switch_expression) @level @break
(switch_label "case") @path
[(try_statement) (try_with_resources_statement)] @level
(catch_clause) @path @break
(binary_expression operator: ["&&" "||"]) @logical

; dangers

((method_invocation object: (_) @_o name: (_) @_m arguments: (argument_list . (_) @data)) @shell (#match? @_o "getRuntime\\(\\)$|^(runtime|rt)$") (#eq? @_m "exec"))
((object_creation_expression type: (_) @_t arguments: (argument_list . (_) @_s . (_) @_c (_) @data)) @shell
  (#eq? @_t "ProcessBuilder") (#match? @_s "(sh|cmd|cmd\\.exe)\"$") (#match? @_c "^\"(-c|/[cC])\"$"))
((method_invocation object: (_) @_o name: (_) @_m arguments: (argument_list . (_) @data)) @code
  (#match? @_o "(?i)(script|engine|groovy|shell)") (#any-of? @_m "eval" "evaluate"))
((method_invocation name: (_) @_m arguments: (argument_list . (_) @data .)) @code (#eq? @_m "parseExpression"))
((object_creation_expression type: (_) @_t) @load (#any-of? @_t "ObjectInputStream" "XMLDecoder"))
((method_invocation name: (_) @_m arguments: (argument_list (_) @_v)) @unverified
  (#match? @_m "^(set)?(Default|SSL)?[hH]ostnameVerifier$") (#match? @_v "Noop|AllowAll|ALLOW_ALL|->\\s*(\\{\\s*return\\s+)?true"))
((method_declaration name: (_) @_m body: (_) @_b) @unverified (#eq? @_m "checkServerTrusted") (#match? @_b "^\\{\\s*\\}$"))
((method_invocation object: (_) @_o name: (_) @_m arguments: (argument_list . (_) @_a)) @weak.hash
  (#eq? @_o "MessageDigest") (#eq? @_m "getInstance") (#match? @_a "^\"(MD[245]|SHA-?1)\"$"))
((method_invocation object: (_) @_o name: (_) @_m arguments: (argument_list . (_) @_a)) @weak
  (#eq? @_o "Cipher") (#eq? @_m "getInstance") (#match? @_a "^\"(DES|DESede|RC4|ARCFOUR|Blowfish)\\b|/ECB/"))
[(string_literal) (binary_expression) (method_invocation)] @text
