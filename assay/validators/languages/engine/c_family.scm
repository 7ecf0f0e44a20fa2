; What the engine reads of C and C++ alike; capture names are explained in captures.py.

(preproc_include path: [(string_literal (string_content) @import) (system_lib_string) @import] @import.file)

(function_definition type: (_) @gives declarator: [(function_declarator declarator: (identifier) @define @defined)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @define @defined))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @define @defined)))]) @function
(declaration type: (_) @gives declarator: [(function_declarator declarator: (identifier) @define)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @define))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @define)))]) @function
(preproc_def name: (_) @define @defined @macro value: (_)) @constant
(preproc_function_def name: (_) @define @defined @macro) @function
(struct_specifier name: (type_identifier) @define @defined body: (_)) @type
(union_specifier name: (type_identifier) @define @defined body: (_)) @type
(enum_specifier name: (type_identifier) @define @defined body: (_)) @constant
(enumerator name: (_) @define @defined) @constant
(type_definition type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_))] declarator: (type_identifier) @define @defined) @type
((type_definition type: [(struct_specifier name: (_) @_b) (union_specifier name: (_) @_b) (type_identifier) @_b]
  declarator: (type_identifier) @define @defined) @type (#not-eq? @_b @define))
((type_definition type: [(struct_specifier name: (_) @base) (union_specifier name: (_) @base) (type_identifier) @base]
  declarator: (type_identifier) @owner) (#not-eq? @base @owner))
(type_definition type: [(primitive_type) (sized_type_specifier) (enum_specifier)] declarator: (type_identifier) @define @defined) @constant
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator [(type_identifier) @define @defined
  (pointer_declarator declarator: (type_identifier) @define @defined)]))) @constant
(field_declaration type: (_) @gives declarator: [(field_identifier) @define @defined (pointer_declarator declarator: (field_identifier) @define @defined)
  (array_declarator declarator: (field_identifier) @define @defined)
  (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @define @defined))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @define @defined)))]) @field
(field_declaration type: [(union_specifier !name) (struct_specifier !name)] @open.type !declarator)
(declaration type: (_) @gives declarator: [(identifier) @define (pointer_declarator declarator: (identifier) @define)
  (array_declarator declarator: (identifier) @define) (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @define))]) @constant
(declaration type: (_) @gives declarator: (init_declarator declarator: [(identifier) @define @defined (pointer_declarator declarator: (identifier) @define @defined)
  (array_declarator declarator: (identifier) @define @defined) (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @define @defined))])) @constant
(function_definition (storage_class_specifier "static") declarator: [(function_declarator declarator: (identifier) @private)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @private))])
(declaration (storage_class_specifier "static") declarator: [(identifier) @private (init_declarator declarator: (identifier) @private)
  (array_declarator declarator: (identifier) @private) (init_declarator declarator: (array_declarator declarator: (identifier) @private))
  (init_declarator declarator: (pointer_declarator declarator: (identifier) @private))
  (function_declarator declarator: (identifier) @private)])

(field_expression argument: (_) @receiver field: (field_identifier) @member) @read
(assignment_expression left: (field_expression argument: (_) @receiver field: (field_identifier) @store))
(call_expression function: (_) @called) @call
(cast_expression type: (type_descriptor type: (_) @created)) @new
[(parenthesized_expression (_) @inner) (pointer_expression argument: (_) @inner)] @same

(parameter_declaration type: (_) @bind.type declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind)])
(declaration type: [(type_identifier) (struct_specifier)] @bind.type declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind)
  (init_declarator declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind)])])

; flat

[(identifier) (type_identifier)] @name
((preproc_def value: (preproc_arg) @name) (#match? @name "^[A-Za-z_][A-Za-z0-9_]*$"))
(preproc_include) @import.whole
[(compound_statement) (for_statement) (function_definition) (preproc_function_def)] @scope
(parameter_declaration declarator: [(identifier) @local (pointer_declarator declarator: (identifier) @local) (array_declarator declarator: (identifier) @local)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @local))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @local)))])
(declaration declarator: [(identifier) @local (pointer_declarator declarator: (identifier) @local) (array_declarator declarator: (identifier) @local)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @local))])
(init_declarator declarator: [(identifier) @local (pointer_declarator declarator: (identifier) @local) (array_declarator declarator: (identifier) @local)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @local))])
(preproc_params (identifier) @local)
(labeled_statement label: (_) @label)
(goto_statement label: (_) @label)
(preproc_ifdef name: (_) @label)
(preproc_defined (identifier) @label)
[(comment) (preproc_include)] @quiet

; measured

(function_definition declarator: [(function_declarator declarator: (identifier) @measured.name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @measured.name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @measured.name)))]) @measured
(if_statement) @path @level @break
(else_clause (if_statement) @chain)
(else_clause) @also
[(for_statement) (while_statement) (do_statement)] @path @level @break
(conditional_expression) @path @break
(switch_statement) @level @break
(case_statement value: (_)) @path
(binary_expression operator: ["&&" "||"]) @logical

; dangers

((call_expression function: (_) @_f arguments: (_)) @unlimited (#match? @_f "^(std::)?gets$"))
((call_expression function: (_) @_f arguments: (argument_list (_) . (_) @data)) @unlimited (#match? @_f "^(std::)?(strcpy|strcat|stpcpy|wcscpy|wcscat)$"))
((call_expression function: (_) @_f arguments: (argument_list . (_) . (_) @_s (_) @data)) @unlimited (#match? @_f "^(std::)?v?sprintf$") (#match? @_s "%s"))
((call_expression function: (_) @_f arguments: (argument_list (_) @_s)) @unlimited (#match? @_f "^(std::)?[fs]?scanf$") (#match? @_s "%s|%\\["))
((call_expression function: (_) @_f arguments: (argument_list . (_) @data)) @shell (#match? @_f "^(std::|::)?(system|popen|_popen|_wsystem)$"))
((call_expression function: (_) @_f arguments: (argument_list . (_) @_s . (_) . (_) @_c (_) @data)) @shell
  (#match? @_f "^execl[pe]?$") (#match? @_s "(ba|da|z)?sh\"$") (#eq? @_c "\"-c\""))
((call_expression function: (_) @_f arguments: (argument_list (_) . (_) @_o . (_) @_v)) @unverified
  (#match? @_f "curl_easy_setopt$") (#match? @_o "^CURLOPT_SSL_VERIFY(PEER|HOST)$") (#match? @_v "^(0L?|false)$"))
((call_expression function: (_) @_f arguments: (argument_list (_) . (_) @_v)) @unverified (#match? @_f "SSL_(CTX_)?set_verify$") (#eq? @_v "SSL_VERIFY_NONE"))
((call_expression function: (_) @_f) @weak.hash (#match? @_f "^(EVP_)?(MD5|SHA1|md5|sha1)$"))
((call_expression function: (_) @_f) @weak (#match? @_f "^EVP_(des_|rc[24]\\b|bf_|\\w+_ecb)"))
[(string_literal) (concatenated_string) (binary_expression) (call_expression)] @text
