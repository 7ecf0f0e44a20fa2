; What the engine reads of Rust; capture names are explained in captures.py.

(use_declaration argument: [(identifier) (scoped_identifier) (crate)] @import @import.named)
(use_declaration argument: (use_as_clause path: (_) @import @import.named alias: (_) @import.alias))
(use_declaration argument: (use_wildcard (_) @import) @import.star)
(use_list [(identifier) (scoped_identifier) (self)] @import @import.named)
(use_list (use_as_clause path: (_) @import @import.named alias: (_) @import.alias))
(use_list (use_wildcard . [(identifier) (scoped_identifier) (crate) (self) (super)] @import) @import.star)
(use_list (use_wildcard . "*") @import @import.star)
(token_tree [(crate) (self) (super) (metavariable)] @path.start . ("::" @path.rest . (identifier) @path.rest)+)
(extern_crate_declaration name: (_) @import @import.named alias: (_)? @import.alias)
(mod_item name: (_) @import @import.file !body)
((attribute_item (attribute (identifier) @_p value: (string_literal (string_content) @import @import.file)))
  . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . (mod_item name: (_) @import.alias !body) (#eq? @_p "path"))
((attribute_item (attribute (identifier) @_c arguments: (token_tree (identifier) @_p . "=" .
  (string_literal (string_content) @import @import.file @import.maybe))))
  . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . (mod_item name: (_) @import.alias !body) (#eq? @_c "cfg_attr") (#eq? @_p "path"))
((macro_invocation macro: (identifier) @_i (token_tree . (string_literal (string_content) @import @import.file) .))
  (#any-of? @_i "include" "include_str" "include_bytes"))
((use_declaration (visibility_modifier) @_v) @import.export (#eq? @_v "pub"))
(scoped_use_list path: (_) @import.prefix) @import.group
(mod_item name: (_) @import.prefix body: (_)) @import.group

(source_file (function_item name: (_) @define return_type: (_)? @gives) @function)
(mod_item body: (declaration_list (function_item name: (_) @define return_type: (_)? @gives) @function))
(macro_definition name: (_) @define @macro) @function
[(struct_item name: (_) @define) (enum_item name: (_) @define) (union_item name: (_) @define) (trait_item name: (_) @define)
  (type_item name: (_) @define) (mod_item name: (_) @define body: (_))] @type
(impl_item type: (_) @owner body: (declaration_list (function_item name: (_) @define return_type: (_)? @gives) @method))
(impl_item type: (_) @owner body: (declaration_list (const_item name: (_) @define type: (_) @gives) @field))
(impl_item type: (_) @owner) @own
(trait_item name: (_) @owner body: (declaration_list [(function_item name: (_) @define return_type: (_)? @gives)
  (function_signature_item name: (_) @define return_type: (_)? @gives)] @method))
(trait_item name: (_) @owner body: (declaration_list [(associated_type name: (_) @define) (const_item name: (_) @define)] @field))
(struct_item name: (_) @owner body: (field_declaration_list (field_declaration name: (_) @define type: (_) @gives) @field))
(union_item name: (_) @owner body: (field_declaration_list (field_declaration name: (_) @define type: (_) @gives) @field))
(enum_item name: (_) @owner body: (enum_variant_list (enum_variant name: (_) @define) @field))
(source_file (const_item name: (_) @define type: (_) @gives) @constant)
(mod_item body: (declaration_list (const_item name: (_) @define type: (_) @gives) @constant))
(static_item name: (_) @define type: (_) @gives) @constant
(foreign_mod_item body: (declaration_list (function_signature_item name: (_) @define return_type: (_)? @gives) @function))
(trait_item name: (_) @interface)
(impl_item trait: (_) @base type: (_) @owner)
(trait_item name: (_) @owner bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @base))
(type_item name: (_) @owner type: (_) @base)
(trait_item body: (declaration_list [(function_signature_item name: (_) @abstract) (associated_type name: (_) @abstract)
  (const_item name: (_) @abstract !value)]))

([(function_item (visibility_modifier) @_v name: (_) @public) (struct_item (visibility_modifier) @_v name: (_) @public)
  (enum_item (visibility_modifier) @_v name: (_) @public) (union_item (visibility_modifier) @_v name: (_) @public)
  (trait_item (visibility_modifier) @_v name: (_) @public) (type_item (visibility_modifier) @_v name: (_) @public)
  (mod_item (visibility_modifier) @_v name: (_) @public) (const_item (visibility_modifier) @_v name: (_) @public)
  (static_item (visibility_modifier) @_v name: (_) @public) (field_declaration (visibility_modifier) @_v name: (_) @public)]
  (#eq? @_v "pub"))
(enum_variant name: (_) @public)
(trait_item body: (declaration_list [(function_signature_item name: (_) @public) (function_item name: (_) @public)
  (associated_type name: (_) @public) (const_item name: (_) @public)]))

((attribute_item (attribute [(identifier) @_t (scoped_identifier name: (_) @_t)])) . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]?
  . (function_item name: (_) @test) (#match? @_t "^(test|rstest|test_case|case|quickcheck|bench|wasm_bindgen_test|traced_test)$"))
((attribute_item (attribute (identifier) @entry.verb arguments: (token_tree . (string_literal (string_content) @entry.path))))
  . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . (function_item name: (_) @entry)
  (#any-of? @entry.verb "get" "post" "put" "delete" "patch" "head" "options" "route"))
((call_expression function: (field_expression field: (_) @_r) arguments: (arguments . (string_literal (string_content) @entry.path)
  . (call_expression function: [(identifier) @entry.verb (scoped_identifier name: (_) @entry.verb)] arguments: (arguments . (identifier) @entry .))))
  (#eq? @_r "route") (#any-of? @entry.verb "get" "post" "put" "delete" "patch" "head" "options" "any"))

(field_expression value: (_) @receiver field: (field_identifier) @member) @read
(scoped_identifier path: (_) @receiver name: (_) @member) @read
(scoped_type_identifier path: (_) @receiver name: (_) @member) @read
((token_tree (identifier) @receiver . "::" . (identifier) @member @read))
(struct_pattern type: [(type_identifier) (scoped_type_identifier)] @receiver (field_pattern name: (_) @member))
(struct_expression name: [(type_identifier) (scoped_type_identifier)] @receiver body: (field_initializer_list
  (field_initializer field: (field_identifier) @member)))
(call_expression function: (_) @called) @call
(struct_expression name: (_) @created) @new
(type_cast_expression type: (_) @created) @new
[(field_expression value: (self) @this) (arguments (self) @this) (reference_expression value: (self) @this) (unary_expression (self) @this)
  (let_declaration value: (self) @this) (return_expression (self) @this) (block (self) @this)]
[(reference_expression value: (_) @inner) (unary_expression (_) @inner) (parenthesized_expression (_) @inner)
  (generic_function function: (_) @inner) (await_expression . (_) @inner)] @same
((call_expression function: (field_expression value: (_) @inner field: (_) @_c)) @same (#eq? @_c "clone"))
([(identifier) (type_identifier)] @this (#eq? @this "Self"))
(try_expression (_) @of) @item
((call_expression function: (field_expression value: (_) @of field: (_) @_u)) @item (#any-of? @_u "unwrap" "expect"))

; A trait may give its methods to any type.
(trait_item name: (_) @receiver body: (declaration_list [(function_item name: (_) @store) (function_signature_item name: (_) @store)]))

(parameter pattern: (identifier) @bind type: (_) @bind.type)
(let_declaration pattern: (identifier) @bind type: (_) @bind.type)
(let_declaration pattern: (identifier) @bind value: (_) @bind.value)
(for_expression pattern: (identifier) @bind value: (_) @bind.item)
((let_condition pattern: (tuple_struct_pattern type: (_) @_s . (identifier) @bind .) value: (_) @bind.item) (#any-of? @_s "Some" "Ok"))
((attribute_item (attribute (identifier) @_d arguments: (token_tree (identifier) @_n))) . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]?
  . [(struct_item name: (_) @open.owner) (enum_item name: (_) @open.owner)] (#eq? @_d "derive") (#not-any-of? @_n "Clone" "Copy"
  "Debug" "Default" "Deserialize" "Eq" "Hash" "Ord" "PartialEq" "PartialOrd" "Serialize"))
((attribute_item (attribute [(identifier) (scoped_identifier)] @_a)) . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . [(attribute_item) (line_comment)]? . [(struct_item name: (_) @open.owner)
  (enum_item name: (_) @open.owner)] (#not-any-of? @_a "allow" "cfg" "cfg_attr" "deny" "deprecated" "derive" "doc" "expect"
  "must_use" "non_exhaustive" "repr" "serde" "warn"))

; flat

[(use_declaration) (extern_crate_declaration)] @import.whole
[(crate) (super)] @name
(scoped_identifier path: (self) @name)
[(identifier) (type_identifier)] @name
[(scoped_identifier) (scoped_type_identifier)] @path
(scoped_identifier name: (_) @label)
(scoped_type_identifier name: (_) @label)
(token_tree ["." "::"] . (identifier) @label)
(token_tree "#" . (token_tree (identifier) @label))
(attribute_item (attribute (identifier) @_a arguments: (token_tree (identifier) @label))
  (#any-of? @_a "cfg" "cfg_attr" "allow" "deny" "warn" "expect" "doc" "inline" "repr" "deprecated"))
(attribute_item (attribute . (identifier) @label)
  (#any-of? @label "cfg" "cfg_attr" "allow" "deny" "warn" "expect" "doc" "inline" "repr" "deprecated" "derive" "test" "path" "ignore"))
(lifetime (identifier) @label)
(label (identifier) @label)
(type_binding name: (_) @label)
(mod_item name: (_) @label !body)
[(function_item) (closure_expression) (block) (match_arm) (for_expression) (if_expression) (while_expression)
  (macro_rule)] @scope
(parameter pattern: (identifier) @local)
(closure_parameters (identifier) @local)
(let_declaration pattern: (identifier) @local)
(for_expression pattern: (identifier) @local)
([(match_pattern (identifier) @local) (tuple_pattern (identifier) @local) (tuple_struct_pattern (identifier) @local)
  (slice_pattern (identifier) @local) (ref_pattern (identifier) @local) (mut_pattern (identifier) @local)
  (or_pattern (identifier) @local) (reference_pattern (identifier) @local) (captured_pattern . (identifier) @local)
  (field_pattern pattern: (identifier) @local) (let_condition pattern: (identifier) @local)] (#match? @local "^[a-z_]"))
(block (function_item name: (_) @local))
(block (const_item name: (_) @local))
(block (static_item name: (_) @local))
(block [(struct_item name: (_) @local) (enum_item name: (_) @local) (trait_item name: (_) @local) (type_item name: (_) @local)])
(type_parameter name: (_) @generic)
(const_parameter name: (_) @generic)
((macro_invocation macro: (_) @_m (token_tree) @opaque) (#not-match? @_m
  "^(std::|core::)?(debug_)?(assert(_eq|_ne)?|panic|vec|e?print(ln)?|format(_args)?|write(ln)?|matches|todo|unreachable|unimplemented)$"))
(macro_definition) @opaque
(source_file (macro_invocation (token_tree (identifier) @open.owner)))
(source_file (expression_statement (macro_invocation (token_tree (identifier) @open.owner))))
(source_file (macro_invocation macro: (_) @test.call) (#match? @test.call "test|quickcheck"))
(source_file (expression_statement (macro_invocation macro: (_) @test.call)) (#match? @test.call "test|quickcheck"))
(declaration_list (macro_invocation macro: (_) @test.call) (#match? @test.call "test|quickcheck"))
[(line_comment) (block_comment) (use_declaration) (mod_item !body)] @quiet

; measured

(function_item name: (_) @measured.name body: (_)) @measured
(closure_expression body: (block)) @measured
[(impl_item type: [(type_identifier) @named.name (generic_type type: (_) @named.name) (scoped_type_identifier) @named.name])
  (trait_item name: (_) @named.name) (mod_item name: (_) @named.name)] @named
(if_expression) @path @level @break
(else_clause) @also
(else_clause (if_expression) @chain)
[(for_expression) (while_expression) (loop_expression)] @path @level @break
(match_expression) @path @level @break
(match_pattern condition: (_)) @path
(binary_expression operator: ["&&" "||"]) @logical

; dangers

((call_expression function: (field_expression value: (call_expression function: (field_expression value: (_) @_n) arguments: (arguments . (_) @_c)) field: (_) @_m)
  arguments: (arguments (_) @data)) @shell
  (#match? @_n "Command::new\\(\"(/usr)?(/bin/)?(ba|da|z)?sh\"\\)$") (#eq? @_c "\"-c\"") (#eq? @_m "arg"))
((call_expression function: (field_expression value: (_) @_n field: (_) @_m)
  arguments: (arguments [(array_expression . (_) @_c (_) @data) (reference_expression (array_expression . (_) @_c (_) @data))])) @shell
  (#match? @_n "Command::new\\(\"(/usr)?(/bin/)?(ba|da|z)?sh\"\\)$") (#eq? @_c "\"-c\"") (#eq? @_m "args"))
((call_expression function: (field_expression field: (_) @_m) arguments: (arguments (boolean_literal) @_v)) @unverified
  (#any-of? @_m "danger_accept_invalid_certs" "danger_accept_invalid_hostnames" "tls_danger_accept_invalid_certs") (#eq? @_v "true"))
((call_expression function: (field_expression field: (_) @_m) arguments: (arguments . (_) @_v)) @unverified
  (#any-of? @_m "set_verify" "verify_hostname" "set_verify_hostname") (#match? @_v "SslVerifyMode::NONE$|^false$"))
((impl_item trait: (_) @_t body: (declaration_list (function_item name: (_) @_m body: (_) @_b) @unverified))
  (#match? @_t "ServerCertVerifier$") (#eq? @_m "verify_server_cert") (#match? @_b "^\\{\\s*Ok\\("))
((call_expression function: (_) @_f arguments: (arguments (_) @data)) @markup (#match? @_f "(^|::)PreEscaped$"))
((call_expression function: (_) @_f) @weak.hash (#match? @_f "^(md5::)?(Md5|Sha1)::(new|digest)$|^md5::compute$"))
((call_expression function: (_) @_f) @weak (#match? @_f "^(des::)?(Des|TdesEde3|Rc4)::new"))
[(string_literal) (raw_string_literal) (macro_invocation) (binary_expression)] @text
