; Definitions, of C and of what C++ has of C. A function runs from its type to the end of its body; one without a body
; is a declaration, which is where a header documents it.

(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))])]
  body: (_) @header.end
  (#not-match? @name "^([A-Z]+_)?TEST(_[A-Z_]+)?$")) @definition.function

; A macro that makes a function of its argument: `TEST_IMPL(name) {…}`.
(function_definition
  type: (type_identifier)
  declarator: (parenthesized_declarator (identifier) @name)
  body: (_) @header.end) @definition.function

(declaration
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))])]) @definition.function
(preproc_function_def name: (identifier) @name) @definition.function

(struct_specifier name: (type_identifier) @name body: (_) @header.end) @definition.class
(union_specifier name: (type_identifier) @name body: (_) @header.end) @definition.class
(enum_specifier name: (type_identifier) @name body: (_) @header.end) @definition.class

; `typedef struct {…} name;` defines a structure, any other `typedef` a type.
(type_definition
  type: [
    (struct_specifier !name body: (_) @header.end)
    (union_specifier !name body: (_) @header.end)
    (enum_specifier !name body: (_) @header.end)]
  declarator: (type_identifier) @name) @definition.class
(type_definition
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (parenthesized_declarator
      (pointer_declarator declarator: (type_identifier) @name)))]) @definition.type
(type_definition type: [(struct_specifier) (union_specifier) (enum_specifier)] @inner) @wrap
(declaration type: [(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))] @inner) @wrap

(field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)])
  (array_declarator declarator: [
    (field_identifier) @name
    (array_declarator declarator: (field_identifier) @name)])
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (field_identifier) @name)))]) @definition.field
(enumerator name: (identifier) @name) @definition.field

(preproc_def name: (identifier) @name value: (_)) @definition.constant
(declaration declarator: [
  (identifier) @name
  (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
  (array_declarator declarator: (identifier) @name)
  (init_declarator declarator: [
    (identifier) @name
    (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
    (array_declarator declarator: [
      (identifier) @name
      (array_declarator declarator: (identifier) @name)])])]) @definition.constant

; References, by name only.

(call_expression function: [
  (identifier) @name
  (field_expression field: (field_identifier) @name)]) @reference.call

(comment) @comment
