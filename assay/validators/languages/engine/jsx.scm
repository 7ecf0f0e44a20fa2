; What the engine reads of JSX: a tag in small letters is no name.

; flat

[(jsx_opening_element name: (identifier) @tag) (jsx_closing_element name: (identifier) @tag)
  (jsx_self_closing_element name: (identifier) @tag)]
