; Definitions. A docstring is a string above what it documents.

(module_definition name: (identifier) @name @header.last) @definition.module
(function_definition (signature [
  (identifier) @name
  (call_expression . [(identifier) @name (operator) @name (field_expression (identifier) @name .)])
  (typed_expression . (call_expression . [
    (identifier) @name (operator) @name (field_expression (identifier) @name .)]))
  (where_expression . [
    (call_expression . [(identifier) @name (field_expression (identifier) @name .)])
    (typed_expression . (call_expression . [(identifier) @name (field_expression (identifier) @name .)]))
    (where_expression . (call_expression . [(identifier) @name (field_expression (identifier) @name .)]))])
  ]) @header.last) @definition.function
; `Base.:(==)`, `Base.$name`, `Matrix{T}`, and what is called like a function: `(f::Type)(x)`.
(function_definition (signature [
  (call_expression . [
    (field_expression (quote_expression [(operator) @name (parenthesized_expression (operator) @name)]))
    (field_expression (interpolation_expression) @name)
    (interpolation_expression) @name
    (parametrized_type_expression . [(identifier) @name (field_expression (identifier) @name .)])
    (parenthesized_expression [
      (typed_expression (_) . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
      (unary_typed_expression [(identifier) @name (parametrized_type_expression . (identifier) @name)])])])
  (where_expression . (call_expression . [
    (field_expression (quote_expression [(operator) @name (parenthesized_expression (operator) @name)]))
    (field_expression (interpolation_expression) @name)
    (interpolation_expression) @name
    (parametrized_type_expression . [(identifier) @name (field_expression (identifier) @name .)])
    (parenthesized_expression [
      (typed_expression (_) . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
      (unary_typed_expression [(identifier) @name (parametrized_type_expression . (identifier) @name)])])]))
  (typed_expression . (call_expression . [
    (field_expression (quote_expression [(operator) @name (parenthesized_expression (operator) @name)]))
    (field_expression (interpolation_expression) @name)
    (interpolation_expression) @name
    (parametrized_type_expression . [(identifier) @name (field_expression (identifier) @name .)])
    (parenthesized_expression [
      (typed_expression (_) . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
      (unary_typed_expression [(identifier) @name (parametrized_type_expression . (identifier) @name)])])]))] @header.last)) @definition.function
(assignment . (call_expression . (field_expression (quote_expression [
  (operator) @name
  (parenthesized_expression (operator) @name)]))) @header.last) @definition.function
(macro_definition (signature (call_expression . (identifier) @name)) @header.last) @definition.function
(assignment . [
  (call_expression . [(identifier) @name (field_expression (identifier) @name .)])
  (typed_expression . (call_expression . [(identifier) @name (field_expression (identifier) @name .)]))
  (where_expression . (call_expression . [(identifier) @name (field_expression (identifier) @name .)]))]
  @header.last) @definition.function

(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
  ]) @header.last) @definition.class
(abstract_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])])) @definition.type
(primitive_definition (type_head [(identifier) @name (binary_expression . (identifier) @name)])) @definition.type
(struct_definition (typed_expression . (identifier) @name) @definition.field)
(struct_definition (identifier) @name @definition.field)
(const_statement (assignment . (identifier) @name)) @definition.constant

; `@inline function f() … end`.
(macrocall_expression (macro_argument_list . [
  (function_definition) (struct_definition) (assignment) (const_statement)] @inner .)) @wrap

; References, by name only.

(call_expression . [(identifier) @name (field_expression (identifier) @name .)]) @reference.call
(broadcast_call_expression . [(identifier) @name (field_expression (identifier) @name .)]) @reference.call
(struct_definition (type_head (binary_expression (operator) . [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)]))) @reference.base

; Docs.

[(line_comment) (block_comment)] @comment
((string_literal) @comment . [
  (function_definition) (macro_definition) (assignment) (struct_definition) (abstract_definition)
  (primitive_definition) (const_statement) (module_definition) (macrocall_expression)])
