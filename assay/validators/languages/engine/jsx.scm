; What the engine reads of JSX: a tag in small letters is no name.

; flat

[(jsx_opening_element name: (identifier) @tag) (jsx_closing_element name: (identifier) @tag)
  (jsx_self_closing_element name: (identifier) @tag)]

; dangers

((jsx_attribute (property_identifier) @_n (jsx_expression (object (pair value: (_) @data)))) @markup (#eq? @_n "dangerouslySetInnerHTML"))
((jsx_attribute (property_identifier) @_n (jsx_expression [(identifier) (member_expression) (call_expression) (object (spread_element))])) @markup
  (#eq? @_n "dangerouslySetInnerHTML"))
