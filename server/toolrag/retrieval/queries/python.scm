; Definitions. A definition that matches twice is one: the wider node gives its lines, the narrower its header, and
; the pattern that stands first here its kind. Which scope a name belongs to is decided by what encloses it: an
; assignment is a constant at the top, a field in a class, and nothing in a function.

(class_definition name: (identifier) @name ":" @header.end) @definition.class
(decorated_definition definition: (class_definition name: (identifier) @name)) @definition.class

(function_definition name: (identifier) @name ":" @header.end) @definition.function
(decorated_definition definition: (function_definition name: (identifier) @name)) @definition.function

(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @definition.type
(assignment
  left: (identifier) @name
  type: (type [(identifier) @_type (attribute attribute: (identifier) @_type)])
  (#eq? @_type "TypeAlias")) @definition.type

; `X = 3`, `X: int = 3`, `X: int`, and each name of `X = Y = 3`.
(assignment left: (identifier) @name) @definition.constant

; Each name of `a, (b, [c, *d]) = …`, three levels deep.
(assignment
  left: (pattern_list [
    (identifier) @name
    (list_splat_pattern (identifier) @name)
    (tuple_pattern [
      (identifier) @name
      (list_splat_pattern (identifier) @name)
      (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
      (list_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])])
    (list_pattern [
      (identifier) @name
      (list_splat_pattern (identifier) @name)
      (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
      (list_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])])])) @definition.constant
(assignment
  left: (tuple_pattern [
    (identifier) @name
    (list_splat_pattern (identifier) @name)
    (tuple_pattern [
      (identifier) @name
      (list_splat_pattern (identifier) @name)
      (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
      (list_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])])
    (list_pattern [
      (identifier) @name
      (list_splat_pattern (identifier) @name)
      (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
      (list_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])])])) @definition.constant
(assignment
  left: (list_pattern [
    (identifier) @name
    (list_splat_pattern (identifier) @name)
    (tuple_pattern [
      (identifier) @name
      (list_splat_pattern (identifier) @name)
      (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
      (list_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])])
    (list_pattern [
      (identifier) @name
      (list_splat_pattern (identifier) @name)
      (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
      (list_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])])])) @definition.constant

; References, by name only. A decorator without arguments is called with what it decorates.

(call function: [(identifier) @name (attribute attribute: (identifier) @name)]) @reference.call
(decorator [(identifier) @name (attribute attribute: (identifier) @name)]) @reference.call

(class_definition
  superclasses: (argument_list [
    (identifier) @name
    (attribute attribute: (identifier) @name)
    (subscript value: [(identifier) @name (attribute attribute: (identifier) @name)])])) @reference.base

; Docs: strings that are statements, but for bytes and f-strings, and comments.

((expression_statement . [(string) (concatenated_string)] @doc .) (#match? @doc "^[rRuU]?[\"']"))
(comment) @comment
