; Definitions. A method's container is its receiver's type. A group's specs stand for themselves; a lone one begins at
; its keyword.

(function_declaration name: (identifier) @name body: (_) @header.end) @definition.function
(function_declaration name: (identifier) @name !body) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @scope
    (generic_type type: (type_identifier) @scope)
    (pointer_type [(type_identifier) @scope (generic_type type: (type_identifier) @scope)])
    (parenthesized_type (pointer_type (type_identifier) @scope))]))
  name: (field_identifier) @name
  body: (_)? @header.end) @definition.method

(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @header.end)) @definition.class
(type_spec name: (type_identifier) @name type: (interface_type "{" @header.end)) @definition.class
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type

(type_spec type: (struct_type (field_declaration_list (field_declaration name: (_) @name) @definition.field)))
(method_elem name: (field_identifier) @name) @definition.method

; Not by its field, which the grammar gives to the first name alone.
(const_spec (identifier) @name) @definition.constant
(var_spec name: (identifier) @name) @definition.constant

(type_declaration "type" . [(type_spec) (type_alias)] @inner) @wrap
(const_declaration "const" . (const_spec) @inner) @wrap
(var_declaration "var" . (var_spec) @inner) @wrap

; References, by name only. What a struct or an interface embeds is its base.

(call_expression function: [
  (identifier) @name
  (selector_expression field: (field_identifier) @name)
  (index_expression operand: [(identifier) @name (selector_expression field: (field_identifier) @name)])
  (type_instantiation_expression type: (type_identifier) @name)]) @reference.call
(composite_literal type: [(type_identifier) @name (qualified_type name: (type_identifier) @name)]) @reference.call

(field_declaration !name type: [
  (type_identifier) @name
  (qualified_type name: (type_identifier) @name)
  (generic_type type: (type_identifier) @name)]) @reference.base
(interface_type (type_elem . [(type_identifier) @name (qualified_type name: (type_identifier) @name)] .)) @reference.base

; Docs, and directives to the compiler.

((comment) @comment (#not-match? @comment "^//(go:|line |export |\\+build|nolint)"))
((comment) @attribute (#match? @attribute "^//(go:|line |export |\\+build|nolint)"))
