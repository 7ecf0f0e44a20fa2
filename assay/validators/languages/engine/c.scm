; What the engine reads of C alone.

(initializer_pair designator: (field_designator (field_identifier) @member))

; flat

(comment) @quiet

; measured

; Nothing more.
