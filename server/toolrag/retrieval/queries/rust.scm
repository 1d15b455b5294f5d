; Definitions. An `impl` is a scope, not the definition of its type: what stands in it has the type as its container.

(impl_item body: (declaration_list (function_item name: (identifier) @name body: (_) @header.end) @definition.method))
(impl_item body: (declaration_list (const_item name: (identifier) @name) @definition.field))
(impl_item
  type: [
    (type_identifier) @name
    (primitive_type) @name
    (generic_type type: (type_identifier) @name)
    (scoped_type_identifier name: (type_identifier) @name)
    (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
    (reference_type type: (_) @name)
    (dynamic_type) @name
    (array_type) @name
    (tuple_type) @name
    (pointer_type) @name
    (function_type) @name]
  body: (_) @header.end) @definition.module

(function_item name: (identifier) @name body: (_) @header.end) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(macro_definition name: (identifier) @name . ["(" "{" "["] @header.end) @definition.function

(struct_item name: (type_identifier) @name body: (field_declaration_list) @header.end) @definition.class
(struct_item name: (type_identifier) @name) @definition.class
(enum_item name: (type_identifier) @name body: (_) @header.end) @definition.class
(union_item name: (type_identifier) @name body: (_) @header.end) @definition.class
(trait_item name: (type_identifier) @name body: (_) @header.end) @definition.class
(mod_item name: (identifier) @name body: (_) @header.end) @definition.module
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type

(enum_variant name: (identifier) @name) @definition.field
(field_declaration name: (field_identifier) @name) @definition.field
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant

; References, by name only.

(call_expression function: [
  (identifier) @name
  (field_expression field: (field_identifier) @name)
  (scoped_identifier name: (identifier) @name)
  (generic_function function: [
    (identifier) @name
    (scoped_identifier name: (identifier) @name)
    (field_expression field: (field_identifier) @name)])]) @reference.call
(macro_invocation macro: [(identifier) @name (scoped_identifier name: (identifier) @name)]) @reference.call
(struct_expression name: [
  (type_identifier) @name
  (scoped_type_identifier name: (type_identifier) @name)]) @reference.call

(impl_item trait: [
  (type_identifier) @name
  (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (type_identifier) @name)])
  (scoped_type_identifier name: (type_identifier) @name)]) @reference.base
(trait_item bounds: (trait_bounds [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (type_identifier) @name)])) @reference.base

; Docs; those that begin with `!` are about what they stand in.

([(line_comment) (block_comment)] @comment (#not-match? @comment "^/[/*]!"))
(attribute_item) @attribute
