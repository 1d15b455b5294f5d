; What TypeScript adds to `ecmascript.scm`; TSX reads both. An overload is a function of its own, without a body.

(abstract_class_declaration name: (_) @name body: (_) @header.end) @definition.class
(interface_declaration name: (_) @name body: (_) @header.end) @definition.class
(enum_declaration name: (_) @name body: (_) @header.end) @definition.class
(internal_module name: (_) @name body: (_) @header.end) @definition.module
(module name: (_) @name body: (_) @header.end) @definition.module
(type_alias_declaration name: (_) @name) @definition.type

(function_signature name: (identifier) @name) @definition.function
(class_body (method_signature name: (_) @name) @definition.method)
(abstract_method_signature name: (_) @name) @definition.method
(interface_body (method_signature name: (_) @name) @definition.method)
(interface_body (property_signature name: (_) @name) @definition.field)

(public_field_definition
  name: [(property_identifier) (private_property_identifier) (string)] @name
  value: [(arrow_function "=>" @header.end) (function_expression body: (_) @header.end)]) @definition.method
(public_field_definition
  name: [(property_identifier) (private_property_identifier) (string)] @name) @definition.field
(enum_body [(property_identifier) (string)] @name @definition.field)
(enum_body (enum_assignment name: (_) @name) @definition.field)

; Constants in a namespace, and those that are only declared.
(internal_module body: (statement_block [
  (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant
  (export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant)]))
(ambient_declaration [
  (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant
  (variable_declaration (variable_declarator name: (identifier) @name)) @definition.constant])

(expression_statement . (internal_module) @inner .) @wrap
(ambient_declaration . (_) @inner .) @wrap

(extends_clause value: [
  (identifier) @name
  (member_expression property: (property_identifier) @name)
  (call_expression function: (identifier) @name)]) @reference.base
(implements_clause [
  (type_identifier) @name
  (generic_type name: [(type_identifier) @name (nested_type_identifier name: (_) @name)])
  (nested_type_identifier name: (_) @name)]) @reference.base
(extends_type_clause [
  (type_identifier) @name
  (generic_type name: [(type_identifier) @name (nested_type_identifier name: (_) @name)])
  (nested_type_identifier name: (_) @name)]) @reference.base
