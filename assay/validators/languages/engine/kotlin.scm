; What the engine reads of Kotlin; capture names are explained in captures.py.

(package_header (qualified_identifier) @namespace)
(import (qualified_identifier) @import "*"? @import.star (identifier)? @import.alias) @import.whole

[(class_declaration name: (_) @define) (object_declaration name: (_) @define) (type_alias type: (_) @define)] @type
; What the grammar fails to parse: a constructor on the line after its class, an annotation on the line of a class without a body.
(ERROR ["class" "interface" "object"] . (identifier) @define) @type
(ERROR "fun" (identifier) @define . (function_value_parameters)) @function
((infix_expression (identifier) @_kind . [(identifier) @define (call_expression . (identifier) @define)] .) @type
  (#any-of? @_kind "class" "interface" "object"))
(class_declaration name: (_) @owner (delegation_specifiers (delegation_specifier
  [(user_type) @base (constructor_invocation (user_type) @base) (explicit_delegation . (user_type) @base)])))
(object_declaration name: (_) @owner (delegation_specifiers (delegation_specifier
  [(user_type) @base (constructor_invocation (user_type) @base) (explicit_delegation . (user_type) @base)])))
(type_alias type: (_) @owner "=" (user_type) @base)
(class_declaration "interface" name: (_) @interface)
(function_declaration name: (_) @define) @function
(function_declaration name: (_) @define (function_value_parameters) ":" . (_) @gives) @function
(function_declaration name: (_) @define (function_body "=" . (_) @gives.value)) @function
(function_declaration [(user_type) (nullable_type) (parenthesized_type)] . "." . name: (_) @extension)
(property_declaration [(user_type) (nullable_type) (parenthesized_type)] . "." . (variable_declaration (identifier) @extension))
((function_declaration (modifiers (annotation [(user_type (identifier) @_note .) (constructor_invocation (user_type (identifier) @_note .))]))
  name: (_) @test) (#match? @_note "(Test|Property|Example)$"))
((function_declaration (modifiers (annotation (constructor_invocation (user_type (identifier) @entry.verb .)
  (value_arguments . (value_argument . (string_literal) @entry.path))))) name: (_) @entry)
  (#match? @entry.verb "^(Get|Post|Put|Patch|Delete)Mapping$"))
((class_declaration (delegation_specifiers (delegation_specifier (constructor_invocation (user_type (identifier) @test.member)))))
  (#match? @test.member "^(String|Fun|Should|Word|Feature|Behavior|Describe|Free|Expect)Spec$"))
(property_declaration (variable_declaration . (identifier) @define ":"? . (_)? @gives)) @constant
(property_declaration (variable_declaration . (identifier) @define .) "=" . (_) @gives.value) @constant
(property_declaration (multi_variable_declaration (variable_declaration . (identifier) @define))) @constant
(class_parameter (identifier) @define ":" . (_) @gives) @field
(enum_entry . (identifier) @define) @field
(primary_constructor) @define.constructor @method
(secondary_constructor "constructor" @define.constructor) @method

((class_declaration (modifiers (visibility_modifier) @_seen) name: (_) @private) (#match? @_seen "private|internal"))
((object_declaration (modifiers (visibility_modifier) @_seen) name: (_) @private) (#match? @_seen "private|internal"))
((function_declaration (modifiers (visibility_modifier) @_seen) name: (_) @private) (#match? @_seen "private|internal"))
((type_alias (modifiers (visibility_modifier) @_seen) type: (_) @private) (#match? @_seen "private|internal"))
((property_declaration (modifiers (visibility_modifier) @_seen) (variable_declaration (identifier) @private)) (#match? @_seen "private|internal"))
((class_parameter (modifiers (visibility_modifier) @_seen) (identifier) @private) (#match? @_seen "private|internal"))
((class_parameter (identifier) @private) @_whole (#not-match? @_whole "(^|\\s)(val|var)\\s[^:]+:"))
((primary_constructor (modifiers (visibility_modifier) @_seen)) @private (#match? @_seen "private|internal"))
((secondary_constructor (modifiers (visibility_modifier) @_seen) "constructor" @private) (#match? @_seen "private|internal"))

(class_declaration "interface" (class_body [(function_declaration name: (_) @abstract (function_value_parameters) .)
  (function_declaration name: (_) @abstract (function_value_parameters) ":" . (_) .)
  (property_declaration (variable_declaration (identifier) @abstract) .)]))
((function_declaration (modifiers (inheritance_modifier) @_is) name: (_) @abstract) (#eq? @_is "abstract"))
((property_declaration (modifiers (inheritance_modifier) @_is) (variable_declaration (identifier) @abstract)) (#eq? @_is "abstract"))

(navigation_expression . (_) @receiver (identifier) @member .) @read
(infix_expression . (_) @receiver . (identifier) @member . (_) .) @read
(call_expression . (_) @called) @call
(as_expression right: (_) @created) @new
((this_expression) @this (#eq? @this "this"))
((super_expression) @super (#eq? @super "super"))
[(parenthesized_expression (_) @inner) (unary_expression argument: (_) @inner operator: "!!")] @same

(parameter (identifier) @bind ":" . (_) @bind.type)
(variable_declaration (identifier) @bind ":" . (_) @bind.type)
(property_declaration (variable_declaration . (identifier) @bind .) "=" . (_) @bind.value)
(when_subject (variable_declaration . (identifier) @bind .) "=" . (_) @bind.value)
(for_statement (variable_declaration . (identifier) @bind .) "in" . (_) @bind.item)

; flat

(identifier) @name
(user_type (identifier) . "." . (identifier)) @path
(user_type (identifier) (identifier) @label)
[(function_declaration) (secondary_constructor) (anonymous_function) (lambda_literal) (block) (getter) (setter) (object_literal)
  (for_statement) (when_expression) (catch_block)] @scope
(anonymous_initializer (block) @scope)
(enum_entry (class_body) @scope @unbound)
(object_literal (class_body) @unbound)
(block (class_declaration) @unbound)
[(lambda_literal) (anonymous_function)] @loose
(function_declaration [(user_type) (nullable_type) (parenthesized_type)] . "." . name: (_)) @loose @unbound
(property_declaration [(user_type) (nullable_type) (parenthesized_type)] . "." . (variable_declaration)) @loose @unbound
(parameter (identifier) @local)
(variable_declaration (identifier) @local)
(catch_block . "catch" "(" (identifier) @local)
(setter (identifier) @local)
(function_declaration name: (_) @outer)
(class_declaration name: (_) @local)
(class_parameter (identifier) @key)
(type_parameter (identifier) @generic)
(navigation_expression (_) (identifier) @label .)
(infix_expression . (_) . (identifier) @label)
(value_argument . (identifier) @label "=")
(return_expression label: (identifier) @label)
(this_expression (identifier) @label)
(super_expression "super@" (identifier) @label)
(labeled_expression (label) (identifier) @label)
(is_expression left: (identifier) @rebound)
(as_expression left: (identifier) @rebound)
(when_subject . "(" . (identifier) @rebound)
(assignment left: (identifier) @rebound)
[(line_comment) (block_comment) (import)] @quiet
(source_file [(annotated_expression) (infix_expression) (call_expression) (binary_expression) (navigation_expression)] @unread)
((file_annotation (constructor_invocation (user_type (identifier) @_jvm) (value_arguments (value_argument (string_literal (string_content) @facade)))))
  (#eq? @_jvm "JvmName"))

; measured

(function_declaration name: (_) @measured.name (function_body)) @measured
(secondary_constructor "constructor" @measured.name (block)) @measured
(anonymous_function (function_body)) @measured
(property_declaration (variable_declaration (identifier) @measured.name) (getter (function_body)) @measured)
(property_declaration (variable_declaration (identifier) @measured.name) (setter (function_body)) @measured)
[(class_declaration name: (_) @named.name) (object_declaration name: (_) @named.name)] @named
(if_expression) @path @level @break
(if_expression "else" . (if_expression) @chain)
(if_expression "else" . (_) @also)
[(for_statement) (while_statement) (do_while_statement)] @path @level @break
(when_expression) @level @break
(when_entry condition: (_)) @path
(try_expression) @level
(catch_block) @path @break
(binary_expression operator: ["&&" "||"]) @logical

; dangers

((call_expression (navigation_expression (_) @_o (identifier) @_m) (value_arguments . (value_argument (_) @data))) @shell
  (#match? @_o "getRuntime\\(\\)$|^(runtime|rt)$") (#eq? @_m "exec"))
((call_expression (identifier) @_t (value_arguments . (value_argument (_) @_s) . (value_argument (_) @_c) (value_argument (_) @data))) @shell
  (#eq? @_t "ProcessBuilder") (#match? @_s "(sh|cmd|cmd\\.exe)\"$") (#match? @_c "^\"(-c|/[cC])\"$"))
((call_expression (navigation_expression (_) @_o (identifier) @_m) (value_arguments . (value_argument (_) @data))) @code
  (#match? @_o "(?i)(script|engine|groovy|shell)") (#any-of? @_m "eval" "evaluate"))
((call_expression (navigation_expression (identifier) @_m) (value_arguments . (value_argument (_) @data) .)) @code (#eq? @_m "parseExpression"))
((call_expression (identifier) @_t (value_arguments (value_argument))) @load (#any-of? @_t "ObjectInputStream" "XMLDecoder"))
((call_expression [(identifier) @_m (navigation_expression (identifier) @_m .)] [(value_arguments) (annotated_lambda)] @_v) @unverified
  (#match? @_m "^(set)?(Default|SSL)?[hH]ostnameVerifier$") (#match? @_v "Noop|AllowAll|ALLOW_ALL|->\\s*true"))
((function_declaration name: (_) @_m (function_body) @_b) @unverified (#eq? @_m "checkServerTrusted") (#match? @_b "^(\\{\\s*\\}|=\\s*Unit)$"))
((call_expression (navigation_expression (identifier) @_o (identifier) @_m) (value_arguments . (value_argument (_) @_a))) @weak.hash
  (#eq? @_o "MessageDigest") (#eq? @_m "getInstance") (#match? @_a "^\"(MD[245]|SHA-?1)\"$"))
((call_expression (navigation_expression (identifier) @_o (identifier) @_m) (value_arguments . (value_argument (_) @_a))) @weak
  (#eq? @_o "Cipher") (#eq? @_m "getInstance") (#match? @_a "^\"(DES|DESede|RC4|ARCFOUR|Blowfish)\\b|/ECB/"))
[(string_literal) (multiline_string_literal) (binary_expression) (call_expression)] @text
