; Definitions. A signature and the clauses below it are one function.

((haskell (header module: (module) @name) @definition.module) (#set! level "1"))

((signature name: [(variable) @name (prefix_id (operator) @name)]) @definition.function (#set! clauses "yes"))
((function name: [(variable) @name (prefix_id (operator) @name)] match: (match) @header.end) @definition.function (#set! clauses "yes"))
((bind name: (variable) @name match: (match) @header.end) @definition.function (#set! clauses "yes"))
((function (infix operator: (_) @name) match: (match) @header.end) @definition.function (#set! clauses "yes"))

(data_type name: (_) @name) @definition.class
(newtype name: (_) @name) @definition.class
(type_synonym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(class name: (_) @name "where" @header.end) @definition.class
(class name: (_) @name) @definition.class
(instance name: (_) @name "where" @header.end) @definition.module
(data_constructor [(prefix name: (_) @name) (record name: (_) @name)]) @definition.field
(field name: (field_name) @name) @definition.field

; References, by name only.

(apply function: [(variable) @name (qualified id: (variable) @name)]) @reference.call
(infix operator: (infix_id [(variable) @name (qualified id: (variable) @name)])) @reference.call
(deriving classes: [(name) @name (parens (name) @name)]) @reference.base

[(comment) (haddock)] @comment
((pragma) @attribute (#match? @attribute "^.-# *(INLINE|NOINLINE|INLINABLE|SPECIALI[SZ]E|DEPRECATED|WARNING|ANN)"))
; A signature of several names belongs to what stands below it.
(signature names: (binding_list)) @attribute
